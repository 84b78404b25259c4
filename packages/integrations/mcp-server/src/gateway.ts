import type { ApprovalView, Artifact, ChainResult, RunDetails, ToolSummary } from '@ravi/api';
import type { JsonObject, Run, SandboxLanguage } from '@ravi/kernel';

/** Script that a client of the protocol runs. */
export interface GatewayScript {
  readonly code: string;
  /** JavaScript, which includes TypeScript, when absent. */
  readonly language?: SandboxLanguage;
  /** `each` when absent. `set`: a dry run collects the calls that need approval, and one request asks for all of them. */
  readonly approve?: 'each' | 'set';
}

/** Part of an artifact, in bytes. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Options of an operation that waits. */
export interface WaitOptions {
  /** Ends the wait, not the work. */
  readonly signal?: AbortSignal;
}

/** Step of a run, for display. */
export interface RunProgress {
  /** Number of calls that have ended. */
  readonly ended: number;
  readonly message: string;
}

/** Decision on an approval, or the answer to a question of a running call. */
export interface GatewayDecision {
  readonly decision: 'approved' | 'denied';
  readonly reason?: string;
  /** Answer to the form of a question. */
  readonly content?: JsonObject;
}

/**
 * Access of one caller to an installation, as its HTTP API gives it. Every method passes the checks of that API: a caller without a
 * role is refused, and what belongs to another principal does not exist. Each throws an error with a stable `code`.
 */
export interface McpGateway {
  /** Returns the principal of the caller and its right to decide approvals. */
  caller(): Promise<{ readonly principal: string; readonly mayApprove: boolean }>;
  /** Lists every tool of the installation. */
  tools(): Promise<readonly ToolSummary[]>;
  /** Calls a tool directly and returns its text. A result that is too large is a preview. */
  call(
    name: string,
    args: JsonObject,
    options?: WaitOptions,
  ): Promise<{ readonly text: string; readonly isError: boolean }>;
  /** Largest result in bytes that is part of a message; a larger one becomes a link. */
  inlineBytes(): Promise<number>;
  /**
   * Runs a script that is not stored, and waits for its result and for the approvals of its calls. For an installation without a state
   * store, and for Python.
   */
  runOnce(script: GatewayScript, options?: WaitOptions): Promise<ChainResult>;
  /**
   * Starts a script as a durable run that pauses for approvals, and returns the id of the run once it is stored. Throws
   * `E_NOT_CONFIGURED` without a state store.
   */
  start(script: GatewayScript): Promise<string>;
  /** Waits until a run has ended or is paused. Resumes a run that is paused and can continue. */
  settle(runId: string, options?: WaitOptions): Promise<ChainResult>;
  /** Yields the steps of a run until it ends or the signal aborts. */
  follow(runId: string, signal: AbortSignal): AsyncIterable<RunProgress>;
  /** Returns a run of the caller. */
  run(runId: string): Promise<RunDetails>;
  /** Lists the newest runs of the caller. */
  runs(page: { readonly limit: number; readonly cursor?: string }): Promise<{
    readonly items: readonly Run[];
    readonly next?: string;
  }>;
  /** Cancels a run. */
  cancel(runId: string): Promise<void>;
  /** Returns the approvals of a run that wait for a decision, each with all its arguments. */
  pending(runId: string): Promise<readonly ApprovalView[]>;
  /** Decides an approval as the caller. A decision that comes too late changes nothing. */
  decide(id: string, decision: GatewayDecision): Promise<void>;
  /** Lists artifacts of the newest runs of the caller. */
  artifacts(): Promise<readonly Artifact[]>;
  /** Returns the metadata of an artifact. */
  artifact(ref: string): Promise<Artifact>;
  /** Reads an artifact, or a part of it. */
  read(ref: string, range?: ByteRange): Promise<Uint8Array>;
  /** Page on which people decide approvals; absent if no server serves one. */
  readonly inboxUrl?: string;
}
