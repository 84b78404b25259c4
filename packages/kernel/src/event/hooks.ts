import type { ApprovalTrace } from '../call/call-record.ts';
import type { ChainRunResult } from '../call/chain-run-result.ts';
import type { ConsoleLine, SandboxLanguage } from '../sandbox/sandbox.ts';
import type { InvocationResult } from '../call/invocation-result.ts';
import type { JsonObject } from '../base/json.ts';
import type { ModelStopReason, ModelUsage } from '../model/model-event.ts';
import type { ToolRisk } from '../tool/risk.ts';
import type { ToolCaller } from '../tool/tool.ts';

/** What every hook payload carries. */
export interface HookScope {
  readonly runId: string;
  readonly sessionId: string;
  readonly callId?: string;
  /** The call or run that this one happened in. */
  readonly parentId?: string;
}

/** Payloads of the observable events, keyed by event. */
export interface HookPayloads {
  'session-opened': HookScope;
  'session-closed': HookScope & { readonly toolCalls: number; readonly unpinFailures: number };
  'run-start': HookScope & { readonly agent: string };
  'run-end': HookScope & {
    readonly agent: string;
    readonly status: 'completed' | 'stopped' | 'paused' | 'failed' | 'cancelled';
    /** Model answers that the run took. */
    readonly steps: number;
    readonly usage: ModelUsage;
    readonly errorCode?: string;
  };
  'step-start': HookScope & { readonly agent: string; readonly step: number };
  'step-end': HookScope & { readonly agent: string; readonly step: number; readonly toolCalls: number };
  'llm-start': HookScope & {
    readonly agent: string;
    readonly provider: string;
    readonly step: number;
    /** The model that is asked, where the request or the provider names one. */
    readonly model?: string;
  };
  'llm-end': HookScope & {
    readonly agent: string;
    readonly provider: string;
    readonly step: number;
    readonly usage: ModelUsage;
    /** The model that answered, as the provider names it. */
    readonly model?: string;
    /** Present when the answer ended well. */
    readonly stopReason?: ModelStopReason;
    readonly errorCode?: string;
  };
  'guardrail-trip': HookScope & { readonly agent: string; readonly guardrail: string; readonly reason: string };
  /** An agent gives a task to another, whose run has the id `childRunId`. */
  handoff: HookScope & { readonly agent: string; readonly to: string; readonly childRunId: string };
  /** A script begins. Its calls have the same `runId` and, inside of a call, the same `parentId`. */
  'chain-start': HookScope & { readonly language: SandboxLanguage };
  'chain-end': HookScope & {
    readonly status: ChainRunResult['status'];
    readonly durationMs: number;
    readonly toolCalls: number;
    readonly errorCode?: string;
  };
  'tool-start': HookScope & {
    readonly tool: string;
    readonly caller: ToolCaller;
    /** The redacted arguments as JSON, at most 200 bytes. */
    readonly argsPreview: string;
  };
  'tool-end': HookScope & {
    readonly tool: string;
    readonly caller: ToolCaller;
    readonly status: 'ok' | 'error' | 'denied' | 'timeout' | 'cancelled';
    readonly durationMs: number;
    /** The redacted arguments that were judged, as JSON, at most 200 bytes. */
    readonly argsPreview: string;
    /** Size of the result. */
    readonly bytes?: number;
    readonly artifactRef?: string;
    readonly errorCode?: string;
  };
  'tool-denied': HookScope & { readonly tool: string; readonly code: string; readonly reason: string };
  'tool-dropped': HookScope & { readonly tool: string; readonly provider: string };
  'approval-requested': HookScope & { readonly tool: string; readonly requestId: string; readonly risk: ToolRisk };
  'approval-decided': HookScope & { readonly tool: string; readonly approval: ApprovalTrace };
  'budget-exceeded': HookScope & { readonly tool: string; readonly limit: number };
  /** A line that a script wrote; `callId` is absent, `parentId` the call that runs the script. */
  'script-console': HookScope & { readonly level: ConsoleLine['level']; readonly text: string };
  'artifact-stored': HookScope & {
    /** Whose result it is; absent when no call made it, but a model or a script. */
    readonly tool?: string;
    readonly ref: string;
    readonly mediaType: string;
    readonly bytes: number;
  };
}

/** Name of an observable event. */
export type HookEvent = keyof HookPayloads;

/** Sees a frozen payload, isolated and with a time limit; it can change nothing. */
export type HookObserver<Event extends HookEvent> = (payload: HookPayloads[Event]) => void | Promise<void>;

/** What an interceptor may do to a call before it runs. */
export type InterceptorDecision =
  | { readonly action: 'continue' }
  | { readonly action: 'modify'; readonly args: JsonObject }
  | { readonly action: 'deny'; readonly reason: string };

/** A call as an interceptor sees it. */
export interface InterceptedCall extends HookScope {
  readonly tool: string;
  readonly caller: ToolCaller;
  readonly args: JsonObject;
}

/**
 * Looks at a call before its arguments are validated and may change or deny it. A deny wins over every other
 * decision; one that throws or is too slow denies.
 */
export type ToolInterceptor = (call: InterceptedCall) => InterceptorDecision | Promise<InterceptorDecision>;

/** Where a finished call can be looked at before its result is delivered. */
export type ResultPoint = 'after-tool' | 'tool-error' | 'permission-denied' | 'budget-exceeded' | 'tools-disabled';

/**
 * May replace the result of a call at a {@link ResultPoint}; `undefined` leaves it. It can never turn a denied
 * call into an allowed one. One that throws or is too slow leaves the result.
 */
export type ResultInterceptor = (
  call: InterceptedCall,
  result: InvocationResult,
) => InvocationResult | undefined | Promise<InvocationResult | undefined>;
