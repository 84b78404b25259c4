import type { ChainFile, InvocationResult } from './invocation-result.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ModelUsage } from '../base/model-usage.ts';

/** Files of a run, as its tools see them: media that its calls returned. */
export interface ToolFiles {
  /** Files of the calls that have ended, one per path. */
  list(): readonly ChainFile[];
  /** Returns the content of a file. @throws KernelError `E_BLOB_NOT_FOUND` for an unknown path, and those of the blob store */
  read(path: string): Promise<Uint8Array>;
}

/**
 * Named queues between calls. They are in memory and end with the run or its process. A channel exists once it is used.
 */
export interface ToolChannels {
  /**
   * Adds a message for the next receiver.
   * @throws KernelError `E_RESULT_NOT_JSON` for a value that is not plain JSON, `E_BUDGET_EXHAUSTED` if the message has more than 64 KiB,
   * 100 messages wait in the channel, or the run has 100 channels
   */
  send(channel: string, message: JsonValue): void;
  /**
   * Takes the oldest message, or waits for the next. The time limit of the call ends the wait.
   * @throws KernelError `E_CANCELLED` when `signal` aborts or the call ends
   */
  receive(channel: string, options?: { readonly signal?: AbortSignal }): Promise<JsonValue>;
}

/** `queued` and `running` are live; the others are final. */
export type JobStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

/** Background job of an agent's run. */
export interface ToolJob {
  readonly id: string;
  readonly tool: string;
  readonly status: JobStatus;
  /** Present once it is final. */
  readonly result?: InvocationResult;
}

/** Background jobs of the run whose model, or whose script, makes the call. */
export interface ToolJobs {
  /** Returns a job; `undefined` for an id that the run does not have. */
  get(id: string): ToolJob | undefined;
  /** Resolves when the job is final. @throws KernelError `E_ARGUMENTS_INVALID` for an unknown id, `E_CANCELLED` when the call ends */
  wait(id: string): Promise<ToolJob>;
  /** Stops a job. Returns `false` if it is unknown or has ended. */
  stop(id: string, reason: string): boolean;
}

/** Request of a tool to the model of its run. */
export interface ToolModelRequest {
  readonly prompt: string;
  /** Instructions for the model; none when absent. */
  readonly system?: string;
  readonly maxOutputTokens?: number;
}

/** Answer of a model to a tool. */
export interface ToolModelAnswer {
  readonly text: string;
  readonly usage: ModelUsage;
}

/**
 * Actions of a running tool in its run, each through the same gates as those of a model. A call that has used it is never
 * repeated on its own, because its inner calls would be made twice; after a crash it is `E_CALL_UNKNOWN`, unless it and all calls inside
 * it are `safe`. A tool that declares `safe` must declare `runAfterResponse` too;
 * otherwise `tool`, `spawn` and `llm` fail with `E_TOOL_INVALID`.
 */
export interface ToolRun {
  /**
   * Makes a call inside this one: it passes every gate, counts against the budget of the session, and has this call as its parent in the
   * trace. Its time does not count towards the limit of this call; it has a limit of its own. A failure is a value.
   * @throws KernelError `E_CANCELLED`, `E_TOOL_INVALID`
   */
  tool(name: string, args: JsonObject): Promise<InvocationResult>;
  /** Asks the person for one text, or one of `choices`; `undefined` without an answer. @throws KernelError as `context.elicit` */
  ask(question: string, options?: { readonly choices?: readonly string[] }): Promise<string | undefined>;
  /**
   * Asks the model of the run once, without tools, within its budget.
   * @throws KernelError `E_UNSUPPORTED` outside an agent, `E_BUDGET_EXHAUSTED`, `E_CANCELLED`, the code of the model's error
   */
  llm(request: ToolModelRequest): Promise<ToolModelAnswer>;
  /** Starts a call like {@link ToolRun.tool}, for example of a sub-agent, and returns its id at once. @throws KernelError `E_TOOL_INVALID` */
  spawn(name: string, args: JsonObject): string;
  /** Waits for a call of {@link ToolRun.spawn}. @throws KernelError `E_STATE_INVALID` for another id, `E_CANCELLED` */
  join(id: string): Promise<InvocationResult>;
  /**
   * Marks the conversation of the agent as ready for compaction: before its next request, the model summarizes the beginning. A short
   * conversation stays as it is. The mark is in memory, and a call may set it again.
   * @throws KernelError `E_UNSUPPORTED` outside an agent, and for one whose `compaction` is `false`; `E_CANCELLED`
   */
  compact(): void;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Returns an id that is the same whenever this call is made again: the first, the second, … of each attempt. */
  uuid(): string;
}
