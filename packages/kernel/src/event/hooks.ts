import type { BlobRef } from '../blob/blob-store.ts';
import type { InvocationResult } from '../tool/invocation-result.ts';
import type { JsonObject } from '../base/json.ts';
import type { Principal } from '../base/run-context.ts';
import type { ToolCaller } from '../tool/tool.ts';
import type { EventScope, RunEventOf, RunEventType } from './run-event.ts';

/** Type of an event that hooks report. The other events are for live display, and streams of agents carry them. */
export type HookEventType = Exclude<
  RunEventType,
  | 'job-finished'
  | 'job-started'
  | 'message'
  | 'model-delta'
  | 'model-retry'
  | 'model-text'
  | 'reasoning-delta'
  | 'run-suspended'
  | 'run-accompanied'
  | 'tool-call-delta'
  | 'tool-call-start'
  | 'tool-progress'
  | 'warning'
>;

/** Event that hooks report. */
export type HookEvent = RunEventOf<HookEventType>;

/** Receives a frozen event. Its failures are logged, its time is limited, and it cannot change the call. */
export type HookObserver<Type extends HookEventType> = (event: RunEventOf<Type>) => void | Promise<void>;

/** Decision of an interceptor about a call before it runs. */
export type InterceptorDecision =
  | { readonly action: 'continue' }
  | { readonly action: 'modify'; readonly args: JsonObject }
  | { readonly action: 'deny'; readonly reason: string };

/** Artifact that the arguments of an intercepted call name. */
export interface InterceptedArtifact {
  /** Keys and indexes from the root of the arguments. */
  readonly path: readonly (string | number)[];
  readonly ref: BlobRef;
  readonly mediaType: string;
  readonly bytes: number;
  /** Lower-case hexadecimal SHA-256 of the content. */
  readonly sha256: string;
  /** True if the content is in `args`; false if only the reference is, because the content is binary or a stream and too large. */
  readonly isInArgs: boolean;
}

/** Call as passed to an interceptor. */
export interface InterceptedCall extends EventScope {
  readonly tool: string;
  readonly caller: ToolCaller;
  /** Caller for whom the run works. Always present in a call of an invoker, like the other fields where they apply. */
  readonly principal?: Principal;
  /** Agent whose run makes the call. */
  readonly agent?: string;
  /** Folder in which the run works, as an absolute path. */
  readonly cwd?: string;
  /** Milliseconds from the call to its result, waits for people included. Present with a result. */
  readonly durationMs?: number;
  /** Number of attempts, above 1 if the call was repeated. Present with a result. */
  readonly attempts?: number;
  /**
   * Arguments that will run, with the content of artifacts in place of their references: text, JSON, and bytes and streams
   * as text. Bytes and streams that together exceed `maxArgumentBytes` stay `{ "$artifact": ref }`.
   */
  readonly args: JsonObject;
  /** Present if the arguments name artifacts. */
  readonly artifacts?: readonly InterceptedArtifact[];
}

/**
 * Inspects a call before its arguments are validated, and may change or deny it. It is asked again about arguments that an
 * approver has changed. A deny overrides every other decision. An interceptor that throws or exceeds its time limit denies
 * the call.
 */
export type ToolInterceptor = (call: InterceptedCall) => InterceptorDecision | Promise<InterceptorDecision>;

/** Moment at which an interceptor can replace the result of a finished call. */
export type ResultPoint = 'after-tool' | 'tool-error' | 'permission-denied' | 'budget-exceeded' | 'tools-disabled';

/**
 * Replaces the result of a call at a {@link ResultPoint}, or returns `undefined` to keep it. It cannot turn a denied call
 * into an allowed one. If it throws or exceeds its time limit, the result stays.
 */
export type ResultInterceptor = (
  call: InterceptedCall,
  result: InvocationResult,
) => InvocationResult | undefined | Promise<InvocationResult | undefined>;
