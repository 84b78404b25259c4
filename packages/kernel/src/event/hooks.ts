import type { ApprovalTrace } from '../call/call-record.ts';
import type { ChainRunResult } from '../call/chain-run-result.ts';
import type { ConsoleLine, SandboxLanguage } from '../sandbox/sandbox.ts';
import type { InvocationResult } from '../call/invocation-result.ts';
import type { JsonObject } from '../base/json.ts';
import type { ModelStopReason, ModelUsage } from '../model/model-event.ts';
import type { ToolRisk } from '../tool/risk.ts';
import type { ToolCaller } from '../tool/tool.ts';

/** Fields of every hook payload. */
export interface HookScope {
  readonly runId: string;
  readonly sessionId: string;
  readonly callId?: string;
  /** Call or run in which this event happened. */
  readonly parentId?: string;
}

/** Payload of each observable event. */
export interface HookPayloads {
  'session-opened': HookScope;
  'session-closed': HookScope & { readonly toolCalls: number; readonly unpinFailures: number };
  'run-start': HookScope & { readonly agent: string };
  'run-end': HookScope & {
    readonly agent: string;
    readonly status: 'completed' | 'stopped' | 'paused' | 'failed' | 'cancelled';
    /** Number of model responses. */
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
    /** Requested model, if the request or the provider names one. */
    readonly model?: string;
  };
  'llm-end': HookScope & {
    readonly agent: string;
    readonly provider: string;
    readonly step: number;
    readonly usage: ModelUsage;
    /** Model that responded, as the provider names it. */
    readonly model?: string;
    /** Present when the response is complete. */
    readonly stopReason?: ModelStopReason;
    readonly errorCode?: string;
  };
  'guardrail-trip': HookScope & { readonly agent: string; readonly guardrail: string; readonly reason: string };
  /** An agent handed a task to another agent, which runs it as `childRunId`. */
  handoff: HookScope & { readonly agent: string; readonly to: string; readonly childRunId: string };
  /** A script started. Its calls have the same `runId` and, if it runs inside a call, the same `parentId`. */
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
    /** The redacted arguments that the gates checked, as JSON, at most 200 bytes. */
    readonly argsPreview: string;
    /** Size of the result in bytes. */
    readonly bytes?: number;
    readonly artifactRef?: string;
    readonly errorCode?: string;
  };
  'tool-denied': HookScope & { readonly tool: string; readonly code: string; readonly reason: string };
  'tool-dropped': HookScope & { readonly tool: string; readonly provider: string };
  'approval-requested': HookScope & { readonly tool: string; readonly requestId: string; readonly risk: ToolRisk };
  'approval-decided': HookScope & { readonly tool: string; readonly approval: ApprovalTrace };
  'budget-exceeded': HookScope & { readonly tool: string; readonly limit: number };
  /** A script wrote a line. `callId` is absent; `parentId` is the call that runs the script. */
  'script-console': HookScope & { readonly level: ConsoleLine['level']; readonly text: string };
  'artifact-stored': HookScope & {
    /** Tool whose result it is; absent when a model or a script produced it. */
    readonly tool?: string;
    readonly ref: string;
    readonly mediaType: string;
    readonly bytes: number;
  };
}

/** Name of an observable event. */
export type HookEvent = keyof HookPayloads;

/** Receives a frozen payload. Its failures are logged, its time is limited, and it cannot change the call. */
export type HookObserver<Event extends HookEvent> = (payload: HookPayloads[Event]) => void | Promise<void>;

/** Decision of an interceptor about a call before it runs. */
export type InterceptorDecision =
  | { readonly action: 'continue' }
  | { readonly action: 'modify'; readonly args: JsonObject }
  | { readonly action: 'deny'; readonly reason: string };

/** Call as passed to an interceptor. */
export interface InterceptedCall extends HookScope {
  readonly tool: string;
  readonly caller: ToolCaller;
  readonly args: JsonObject;
}

/**
 * Inspects a call before its arguments are validated, and may change or deny it. A deny overrides every other decision.
 * An interceptor that throws or exceeds its time limit denies the call.
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
