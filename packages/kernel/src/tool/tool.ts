import type { BlobReader } from '../blob/blob-store.ts';
import type { Clock } from '../base/clock.ts';
import type { ContentBlock } from './content.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../base/json.ts';
import type { Logger } from '../base/logger.ts';
import type { ToolRisk } from './risk.ts';
import type { Principal } from '../base/run-context.ts';

/** Names that a tool may have; encoders sanitise them further per provider. */
export const toolNamePattern: RegExp = /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/;

/** What a tool call produced. */
export interface ToolExecutionResult {
  readonly content: readonly ContentBlock[];
  /** The tool ran and failed; the content says how. */
  readonly isError: boolean;
  /** The value that a script receives, when there is one. */
  readonly structuredContent?: JsonValue;
  /** For the host only: never shown to a model or a script. */
  readonly metadata?: JsonObject;
}

/** Key-value scratch space that the tools of one session share. Lives as long as the session. */
export interface Scratchpad {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  delete(key: string): void;
}

/** What a running tool reports about itself through `ctx.progress`. */
export interface ProgressUpdate {
  /** Share done, 0 to 1, when it is known. */
  readonly fraction?: number;
  readonly message?: string;
}

/** What a tool gets beside its arguments. */
export interface ToolContext {
  readonly runId: string;
  readonly callId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  /** Aborted on time-out and on cancellation; pass it on to everything that waits. */
  readonly signal: AbortSignal;
  /** The same for every attempt of the same logical call, a resumed one included. */
  readonly idempotencyKey: string;
  /** Directory that relative paths of this session mean. */
  readonly cwd?: string;
  readonly log: Logger;
  readonly scratchpad: Scratchpad;
  /** Blobs of this session only. */
  readonly blobs: BlobReader;
  readonly clock: Clock;
  progress(update: ProgressUpdate): void;
  /** @throws KernelError `E_CANCELLED` when the run was cancelled or the call timed out. */
  check(): void;
}

/**
 * How calls of one tool share the process: all at once (`parallel`, the default), one at a time among all
 * exclusive calls, or one at a time per key.
 */
export type ToolConcurrency = 'parallel' | 'exclusive' | { readonly keys: (args: JsonObject) => readonly string[] };

/** The risk of one call, judged from its arguments. */
export interface RiskAssessment {
  readonly risk: ToolRisk;
  /** What the call would do, for the human who approves. */
  readonly summary?: string;
}

/** Who wrote a call: the model itself, or a script that the model wrote. */
export type ToolCaller = 'direct' | 'chain';

/** A tool that this process runs. Risk, schemas and flags are read once, when the tool is added, and frozen. */
export interface Tool {
  /** Matches {@link toolNamePattern}. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** Absent means `safe`, or `policy.defaultRisk` when that is higher. */
  readonly risk?: ToolRisk;
  /** Judges one call; it can only raise the static risk. What it throws counts as `critical`. */
  classifyRisk?(args: JsonObject): RiskAssessment;
  readonly concurrency?: ToolConcurrency;
  /** Running it twice with one `idempotencyKey` has the effect of running it once. */
  readonly idempotent?: boolean;
  /** May suspend its run until something outside happens. */
  readonly suspends?: boolean;
  /**
   * Starts only once the answer that calls it has ended well, although it is `safe`, and so do the calls behind it: it
   * changes its run, or makes calls of its own.
   */
  readonly runAfterResponse?: boolean;
  /** Sent to a model only after discovery. */
  readonly deferLoading?: boolean;
  /** Absent means both. */
  readonly allowedCallers?: readonly ToolCaller[];
  /** `stream` hands artifacts over as `ArtifactStream` instead of reading them into memory. */
  readonly artifacts?: 'value' | 'stream';
  /** True for a tool that ends on its own time limits, like a chain that waits for approvals: `callTimeoutMs` does not apply. */
  readonly managesOwnTimeout?: boolean;
  /**
   * `background`: in an agent's turn the call is answered with a job at once, and its result comes as a later message.
   * `direct`, the default: the turn waits for it.
   */
  readonly mode?: 'direct' | 'background';
  /** Full documentation, on demand. */
  documentation?(): string;
  /** One line for the system prompt. */
  readonly promptHint?: string;
  /** @throws anything; it becomes an error result. */
  execute(args: JsonObject, context: ToolContext): Promise<ToolExecutionResult>;
}

/** What a tool that declares `artifacts: 'stream'` finds in place of an artifact ref. */
export interface ArtifactStream {
  readonly ref: string;
  readonly mediaType: string;
  readonly bytes: number;
  open(range?: { readonly offset?: number; readonly length?: number }): Promise<ReadableStream<Uint8Array>>;
}

/** A tool that the provider runs; we only declare it. Without a spec for a provider it is dropped for that provider. */
export interface HostedTool {
  readonly name: string;
  readonly description: string;
  /** Keyed by provider id. */
  readonly providerSpecs: Readonly<Record<string, JsonObject>>;
}

/** A call in the shape that its provider defined. */
export interface ProviderCall {
  readonly id: string;
  /** One of the tool's `callTypes`. */
  readonly type: string;
  readonly payload: JsonObject;
}

/** A tool whose call shape the provider declares and that we run. */
export interface ProviderDefinedTool {
  readonly name: string;
  readonly description: string;
  readonly providerSpecs: Readonly<Record<string, JsonObject>>;
  readonly callTypes: readonly string[];
  readonly risk?: ToolRisk;
  handleCall(call: ProviderCall, context: ToolContext): Promise<ToolExecutionResult>;
}

/** Everything a Toolbox can hold. */
export type AnyTool = Tool | HostedTool | ProviderDefinedTool;

/** Whether we run calls whose shape the provider declared. Ask this before {@link isHostedTool}. */
export function isProviderDefinedTool(tool: AnyTool): tool is ProviderDefinedTool {
  return 'handleCall' in tool && typeof tool.handleCall === 'function';
}

/** Whether the provider runs it. */
export function isHostedTool(tool: AnyTool): tool is HostedTool {
  return 'providerSpecs' in tool && !isProviderDefinedTool(tool);
}

/** Whether this process runs it by `execute`. */
export function isLocalTool(tool: AnyTool): tool is Tool {
  return 'execute' in tool && typeof tool.execute === 'function';
}

/**
 * Brand of a tool that a chain must not call, `tool_chain` for one. A brand and not a name, so that an alias
 * cannot recurse. Set it to `true` on the tool; `Symbol.for`, so that two copies of this package agree.
 */
export const notCallableFromChain: unique symbol = Symbol.for('ravi.not-callable-from-chain') as never;

/** Whether the tool carries {@link notCallableFromChain}. */
export function isCallableFromChain(tool: AnyTool): boolean {
  return (tool as { readonly [notCallableFromChain]?: boolean })[notCallableFromChain] !== true;
}

/** Where tools are looked up by name. */
export interface ToolRegistry {
  get(name: string): AnyTool | undefined;
  all(): readonly AnyTool[];
  names(): readonly string[];
  /** @throws KernelError `E_TOOL_INVALID`, `E_TOOL_NAME_CONFLICT` */
  add(tool: AnyTool, options?: { readonly source?: string }): void;
}
