import type { ChainPolicy } from '@ravi/kernel';
import type { ListPort, SinglePort } from './plugin-ports.ts';

/** One plugin in a configuration: where it is, and its options beside that. */
export interface PluginEntry {
  /** A package name, or a path from the configuration's folder that starts with `./` or `../`. Never a URL. */
  readonly use: string;
  readonly [option: string]: unknown;
}

/** The plugins of a configuration, by the port they fill. */
export type PluginsConfig = { readonly [Port in SinglePort]?: PluginEntry } & {
  readonly [Port in ListPort]?: readonly PluginEntry[];
};

/** Somebody who may use the server; exactly one of `token`, `tokenFile` and `tokenSha256` is given. */
export interface ServerToken {
  /** Environment variable with a secret of at least 32 characters. */
  readonly token?: { readonly $env: string };
  /** File with such a secret. */
  readonly tokenFile?: string;
  /** SHA-256 of such a secret, in hex. */
  readonly tokenSha256?: string;
  readonly principal: string;
  /** `run` alone when absent. */
  readonly roles?: readonly ('run' | 'approve' | 'admin')[];
}

/** Who may use the server, and how much. */
export interface ServerAccess {
  /** Needed for every address that is not loopback; without any, everybody on this machine may do everything. */
  readonly tokens?: readonly ServerToken[];
  /** Names of the server beside loopback ones. */
  readonly allowedHosts?: readonly string[];
  /** Of one principal. */
  readonly requestsPerMinute?: number;
  /** Calls, scripts and starts of runs that are worked on at once. */
  readonly maxConcurrent?: number;
}

/** The agent of a server. */
export interface AgentConfig {
  /** The first part of its system prompt. */
  readonly system?: string;
  /** Answers that one run may ask its model for. */
  readonly maxSteps?: number;
  /** The file that its scripted model runs where no key of a provider is set. */
  readonly demoScript?: string;
  /** What one run may use. `maxCost` needs `prices`, and is in their currency. */
  readonly budget?: {
    readonly maxTokens?: number;
    readonly maxCost?: number;
    readonly maxToolCalls?: number;
    readonly maxTimeMs?: number;
  };
  /** Prices for a million tokens by the name of the model, all in one currency. */
  readonly prices?: Readonly<
    Record<
      string,
      { readonly input: number; readonly output: number; readonly cachedInput?: number; readonly cacheWrite?: number }
    >
  >;
}

/** How long a client may take, in milliseconds. Whoever takes longer only holds a connection, which is closed. */
export interface ServerLimits {
  /** To send the headers of a request; 10 000 when absent. */
  readonly headersTimeoutMs?: number;
  /** To send a whole request; 30 000 when absent. */
  readonly requestTimeoutMs?: number;
  /** To take the next part of an answer that waits for it; 60 000 when absent. */
  readonly unreadTimeoutMs?: number;
}

/** What is removed from the state store, where there is one. */
export interface RetentionConfig {
  /** Days after which runs that are over go, with their journals, approvals, jobs and artifacts. */
  readonly maxAgeDays: number;
}

/** The log of a server. */
export interface LoggingConfig {
  /** The least important lines that are written. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
}

/** What a server tells OpenTelemetry. */
export interface TelemetryConfig {
  /** The collector that gets spans and metrics, over OTLP; nobody does when absent. */
  readonly endpoint?: string;
  /** Whether spans hold arguments and results of calls, redacted and cut. */
  readonly content: boolean;
}

/** A configuration as somebody writes it. Relative paths mean the configuration's folder. */
export interface RaviConfig {
  readonly server?: { readonly host?: string; readonly port?: number } & ServerAccess & ServerLimits;
  readonly policy?: Partial<ChainPolicy>;
  /**
   * `preflight: false` runs scripts without checking them first. `approvals` is what a script does that waits for a human,
   * where there is a state store: it waits for as long as the policy says, or is stored and goes on with the answer.
   */
  readonly chains?: { readonly preflight?: boolean; readonly approvals?: 'wait' | 'pause' };
  readonly agent?: AgentConfig;
  readonly logging?: Partial<LoggingConfig>;
  readonly telemetry?: Partial<TelemetryConfig>;
  readonly retention?: RetentionConfig;
  /** Folders of files that default-export tools. */
  readonly tools?: readonly string[];
  /** Folders of skills, each `<name>/SKILL.md`. */
  readonly skills?: readonly string[];
  readonly plugins?: PluginsConfig;
}

/** A configuration that was checked and completed with the defaults. */
export interface ResolvedConfig {
  readonly server: { readonly host: string; readonly port: number } & ServerAccess & ServerLimits;
  readonly policy: ChainPolicy;
  readonly chains: { readonly preflight: boolean; readonly approvals: 'wait' | 'pause' };
  /** `demoScript` is an absolute path. */
  readonly agent: AgentConfig;
  readonly logging: LoggingConfig;
  readonly telemetry: TelemetryConfig;
  /** Everything stays when absent. */
  readonly retention?: RetentionConfig;
  /** Absolute paths. */
  readonly tools: readonly string[];
  /** Absolute paths. */
  readonly skills: readonly string[];
  /** As written: each plugin's schema checks its options when it is opened. */
  readonly plugins: PluginsConfig;
}

/** Types a configuration in TypeScript; returns it unchanged. */
export function defineConfig(config: RaviConfig): RaviConfig {
  return config;
}
