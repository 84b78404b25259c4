import type { Clock, Logger, ModelProvider, SecretStore, ToolRisk } from '@ravi/kernel';

/** Limits of what a server may send. A server that exceeds one of a connection loses the connection, not the process. */
export interface McpLimits {
  /** Tools, resources and prompts of one list; the rest is reported as a failure. Default: 1,000. */
  readonly tools: number;
  /** Pages of one list. Default: 100. */
  readonly pages: number;
  /** Bytes of one message. Default: 16 MiB. */
  readonly messageBytes: number;
  /** Objects and lists inside each other in a message. Default: 128. */
  readonly messageDepth: number;
  /** Messages per second, on average, and four times as many at once; requests of the server a tenth of it. Default: 500. */
  readonly messagesPerSecond: number;
  /** Bytes of one result, media included. Default: 10 MiB. */
  readonly resultBytes: number;
  /** Bytes of an image, audio clip or other file up to which it stays in the result instead of an artifact. Default: 16 KiB. */
  readonly inlineBytes: number;
  /** Characters of the description of a tool; the rest is cut. Default: 16,384. */
  readonly descriptionCharacters: number;
  /**
   * Milliseconds to start or reach the server, and for each page of its lists. Default: 60,000, because a package may be downloaded
   * first. A source opens after ten seconds without its tools, which appear later.
   */
  readonly connectMs: number;
  /** Milliseconds of one call, without the time for which it waits for a person. Default: 300,000. */
  readonly callMs: number;
}

/** Defaults of {@link McpLimits}. */
export const defaultLimits: McpLimits = {
  tools: 1_000,
  pages: 100,
  messageBytes: 16 * 1024 * 1024,
  messageDepth: 128,
  messagesPerSecond: 500,
  resultBytes: 10 * 1024 * 1024,
  inlineBytes: 16 * 1024,
  descriptionCharacters: 16_384,
  connectMs: 60_000,
  callMs: 300_000,
};

/** Versions of the protocol that a connection may be held to. */
export type McpProtocol = 'auto' | '2025-11-25' | '2026-07-28';

/** Sign-in of callers at a server. An empty object registers the client with the server automatically. */
export interface SignInOptions {
  /** Id of a client that was registered with the authorization server before. */
  readonly clientId?: string | undefined;
  /** Secret of that client, if it has one. */
  readonly clientSecret?: string | undefined;
  /** Scopes to ask for, separated by spaces. */
  readonly scope?: string | undefined;
  /** The only authorization server to use. Without it a configured client is bound to the one that the server named first. */
  readonly issuer?: string | undefined;
  /** Address of a client id metadata document, for authorization servers that read one instead of registering clients. */
  readonly clientMetadataUrl?: string | undefined;
}

/** Permission for a server to use a model during a call. */
export interface SamplingOptions {
  readonly provider: ModelProvider;
  /** Model that the provider is asked for; the server does not choose. */
  readonly model: string;
  /** Tokens of one answer at most. Default: 1,024. */
  readonly maxTokens?: number;
  /** Requests during one call at most. Default: 3. */
  readonly requestsPerCall?: number;
  /** Tokens of all requests of this source in a day (UTC) of this process at most, input and output. Default: 100,000. */
  readonly tokensPerDay?: number;
}

/** Permission for a server to use a model of the configuration during a call. */
export interface SamplingConfig {
  /** Name of a configured model. */
  readonly model: string;
  /** Tokens of one answer at most. Default: 1,024. */
  readonly maxTokens?: number;
  /** Requests during one call at most. Default: 3. */
  readonly requests?: number;
  /** Tokens of all requests of the server in a day (UTC) at most, input and output. Default: 100,000. */
  readonly tokensPerDay?: number;
}

/** Options of both kinds of servers. */
interface CommonOptions {
  /** Name of the source and first part of its tools' names. Letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  /** True if hints of the server lower the risk of its tools. Default: false. */
  readonly trust?: boolean;
  /** True to offer tools that the server adds later without a person. Default: false, such tools are held until one accepts them. */
  readonly acceptNewTools?: boolean;
  /** Patterns of tools to offer: exact names, or with `*`; the prefix `mcp:<server>/` is optional. Default: all. */
  readonly allow?: readonly string[];
  /** Patterns of tools not to offer. Wins over `allow`. */
  readonly deny?: readonly string[];
  /** Risks by pattern; they win over what the server says. */
  readonly risk?: Readonly<Record<string, ToolRisk>>;
  /** Patterns of tools that run in the background as jobs. Default: none. */
  readonly background?: readonly string[];
  /** True to offer a tool that reads the server's resources and one that lists them. Default: false. */
  readonly resources?: boolean;
  /** True to offer the server's prompts as tools. Default: false. */
  readonly prompts?: boolean;
  /** Absent: the server may not use a model. */
  readonly sampling?: SamplingOptions;
  /** Default: `auto`, the newest version that both sides know. */
  readonly protocol?: McpProtocol;
  readonly limits?: Partial<McpLimits>;
}

/** Server that runs as a child process and speaks over its standard streams. */
export interface StdioServerOptions extends CommonOptions {
  readonly command: string;
  readonly args?: readonly string[];
  /** Environment of the process. It gets nothing else but `PATH`, if this has none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Working directory. Default: the one of this process. */
  readonly cwd?: string;
  readonly url?: never;
}

/** Server at an address. */
export interface HttpServerOptions extends CommonOptions {
  readonly url: string;
  /** `auto` tries streamable HTTP, then the older SSE. Default: `auto`. */
  readonly transport?: 'http' | 'sse' | 'auto';
  /** Sent with each request. They never leave the host of `url`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the server may be on this machine or in a private network. Default: false. */
  readonly allowPrivateAddresses?: boolean;
  /** Present if callers sign in for themselves. */
  readonly signIn?: SignInOptions;
  readonly command?: never;
}

/** Options of an MCP server. */
export type McpServerOptions = StdioServerOptions | HttpServerOptions;

/** Parts of the process that a source uses. */
export interface McpSourceContext {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Place of the credentials of callers that sign in. Without it they end with the process. */
  readonly secrets?: SecretStore | undefined;
}
