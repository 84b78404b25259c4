import type { AwaitedApproval } from '../approval/approval.ts';
import type { ApprovalTrace, CallAttempt, CallStatus } from '../call/call-record.ts';
import type { ChainRunResult } from '../call/chain-run-result.ts';
import type { InvocationError, InvocationResult } from '../tool/invocation-result.ts';
import type { ModelUsage, ModelUse } from '../base/model-usage.ts';
import type { ModelError, ModelStopReason, ModelWarning } from '../model/model-event.ts';
import type { ModelMessage } from '../model/model-request.ts';
import type { ConsoleLine, SandboxLanguage } from '../sandbox/sandbox.ts';
import type { ElicitationRequest } from '../tool/elicitation.ts';
import type { ToolRisk } from '../tool/risk.ts';
import type { ProgressUpdate, ToolCaller } from '../tool/tool.ts';

/** Ids that every event has. */
export interface EventScope {
  readonly runId: string;
  readonly sessionId: string;
  readonly callId?: string;
  /** Call or run in which the event happened. */
  readonly parentId?: string;
}

/** Question of a tool to the user. */
export interface Question {
  /**
   * Id of the call that asks; the answer becomes its result. For a question of a sub-agent, the id of its call, a dot, and the id of
   * the call that asks.
   */
  readonly callId: string;
  readonly tool: string;
  readonly question: string;
  /** Suggested answers; others are accepted too. */
  readonly choices?: readonly string[];
  /** Sub-agent that asks. Absent for a question of the run itself. */
  readonly agent?: string;
  /** Run of that sub-agent. */
  readonly runId?: string;
}

/** Call in its events. */
interface CallFacts {
  readonly callId: string;
  readonly tool: string;
  readonly caller: ToolCaller;
  /** The redacted arguments as JSON, at most 200 bytes. */
  readonly argsPreview: string;
}

/** Progress of an agent when its run ends or pauses. */
interface AgentProgress {
  /** Absent for the run of a script. */
  readonly agent?: string;
  /** Number of model responses of an agent. */
  readonly steps?: number;
  /** Sum over all responses of an agent. */
  readonly usage?: ModelUsage;
}

/** Model call of an agent. */
interface ModelCall {
  readonly agent: string;
  readonly provider: string;
  readonly step: number;
}

/** Payload of each event, by the type of the event. {@link RunEvent} is made from it. */
export interface RunEventPayloads {
  'session-opened': object;
  'session-closed': { readonly toolCalls: number; readonly unpinFailures: number };

  'run-start': {
    readonly kind: 'agent' | 'chain';
    /** Absent for the run of a script. */
    readonly agent?: string;
    /** Task of an agent. Only the record of the run has it. */
    readonly task?: string;
    /** True if the run continues after a pause or after its process ended. */
    readonly isResumed?: boolean;
    /** True if the process that ran it before ended. */
    readonly wasInterrupted?: boolean;
    /** True if the process resumed no other suspected run meanwhile. Only the record of the run has it. */
    readonly isAlone?: boolean;
    /** For a sub-agent: epoch of the run above in which it started or resumed. Only the record of the run has it. */
    readonly aboveEpoch?: number;
  };
  /** The run waits for the answers to its questions, or for approvals. */
  'run-paused': AgentProgress & {
    readonly questions: readonly Question[];
    /** The cause of the wait. */
    readonly reason?: 'question' | 'approval' | 'changed';
    /** Requests for approval that are open, oldest first. */
    readonly approvals?: readonly AwaitedApproval[];
    /** The change since the run started, if the reason is `changed`. */
    readonly error?: Pick<InvocationError, 'code' | 'message'>;
  };
  /** The run has read an input that a user has sent to it. After a crash the event may be repeated, with the same id. */
  'run-input': { readonly inputId: string; readonly text: string };
  /** The process that ran the run leaves it to another one. Only the record of the run has it. */
  'run-suspended': object;
  /** The process resumes another run that may be the cause of crashes. Only the record of a run that may be one too has it. */
  'run-accompanied': object;
  'run-end': AgentProgress & {
    readonly status: 'completed' | 'stopped' | 'failed' | 'cancelled' | Exclude<ChainRunResult['status'], 'paused'>;
    /** Reason why the run of an agent ended. */
    readonly reason?: string;
    /** Final text of an agent. */
    readonly text?: string;
    /** Duration of a script. */
    readonly durationMs?: number;
    /** Number of calls of a script. */
    readonly toolCalls?: number;
    readonly error?: Pick<InvocationError, 'code' | 'message'>;
  };

  'step-start': { readonly agent: string; readonly step: number };
  'step-end': {
    readonly agent: string;
    readonly step: number;
    readonly toolCalls: number;
    /** Usage of the response. */
    readonly usage: ModelUsage;
  };

  'model-start': ModelCall & {
    /** Requested model, if the request or the provider names one. */
    readonly model?: string;
  };
  /** Text of the response, for display. */
  'model-delta': { readonly text: string };
  /** Text of the reasoning, for display. */
  'reasoning-delta': { readonly text: string };
  /** Whole text of a response; it replaces the deltas. Only the record of the run has it. */
  'model-text': { readonly text: string; readonly reasoning?: string };
  warning: { readonly warning: ModelWarning };
  /**
   * The incomplete response of an attempt (from 1) is discarded and requested again after `delayMs`. Only safe calls of it
   * can have run.
   */
  'model-retry': { readonly attempt: number; readonly delayMs: number; readonly error: ModelError };
  'model-end': ModelCall & {
    readonly usage: ModelUsage;
    /** Model that responded, as the provider names it. */
    readonly model?: string;
    /** Present when the response is complete. */
    readonly stopReason?: ModelStopReason;
    readonly errorCode?: string;
    /** In the currency of the price table. Only the record of a run has it. */
    readonly cost?: number;
  };
  /** A call asked a model for what it connects to, such as a server that is allowed to. */
  'model-lent': {
    readonly callId: string;
    readonly tool: string;
  } & ModelUse;
  /** A message was appended to the conversation, and stored if there is a history. */
  message: { readonly message: ModelMessage };
  'guardrail-trip': { readonly agent: string; readonly guardrail: string; readonly reason: string };
  /** An agent handed a task to another agent, which runs it as `childRunId`. */
  handoff: { readonly agent: string; readonly to: string; readonly childRunId: string };

  /** A script started. Its calls have the same `runId` and, if it runs inside a call, the same `parentId`. */
  'chain-start': { readonly language: SandboxLanguage };
  'chain-end': {
    readonly status: ChainRunResult['status'];
    readonly durationMs: number;
    readonly toolCalls: number;
    /** `E_RUN_SUSPENDED` with the status `cancelled` if the script is continued later: it waits for people, or its process stops. */
    readonly errorCode?: string;
  };
  /** A script wrote a line. `callId` is absent; `parentId` is the call that runs the script. */
  console: ConsoleLine;

  /** The model starts to write a call. */
  'tool-call-start': { readonly callId: string; readonly tool: string };
  /** `text` is a piece of the arguments as the model writes them. */
  'tool-call-delta': { readonly callId: string; readonly text: string };
  /** A call begins. It ends with `tool-result`, also when it is denied, times out or is cancelled. */
  'tool-call': CallFacts;
  'tool-progress': { readonly callId: string; readonly tool: string; readonly update: ProgressUpdate };
  /** An attempt (from 1) of a call failed with an error that may pass. The next attempt begins after `delayMs`. */
  'tool-retry': {
    readonly callId: string;
    readonly tool: string;
    readonly attempt: number;
    readonly delayMs: number;
    readonly error: Pick<InvocationError, 'code' | 'message'>;
  };
  /** A call has ended. `argsPreview` shows the arguments that the gates checked. */
  'tool-result': CallFacts & {
    readonly status: CallStatus;
    readonly durationMs: number;
    /** Size of the result in bytes. */
    readonly bytes?: number;
    readonly artifactRef?: string;
    readonly errorCode?: string;
    /** True if an earlier process recorded the outcome, so that metrics do not count the call again. */
    readonly wasRecorded?: boolean;
    /** True if the run was suspended during the call, because it waits for people or its process stops. Another end follows when it continues. */
    readonly isSuspended?: boolean;
    /** Present if the call was repeated: every attempt, the last one included. */
    readonly attempts?: readonly CallAttempt[];
  };
  'tool-denied': {
    readonly tool: string;
    /** True code and reason, also if the caller got another answer. */
    readonly code: string;
    readonly reason: string;
    /** Code that the caller got instead, if it must not learn that there is such a tool. */
    readonly shownAs?: string;
  };
  'tool-dropped': { readonly tool: string; readonly provider: string };
  'approval-requested': {
    readonly tool: string;
    readonly requestId: string;
    readonly risk: ToolRisk;
    /** Mode of the input that the running call asks for; absent if the call needs permission. */
    readonly elicitation?: ElicitationRequest['mode'];
  };
  'approval-decided': {
    readonly tool: string;
    readonly approval: ApprovalTrace;
    /** As in the request. */
    readonly elicitation?: ElicitationRequest['mode'];
  };
  /** The call waits for its result from outside. After a restart the event is repeated, with the same id. */
  'completion-requested': { readonly tool: string; readonly completionId: string; readonly expiresAt: number };
  'completion-ended': {
    readonly tool: string;
    readonly completionId: string;
    /** `ended`: the call ended otherwise, and its token is withdrawn. */
    readonly outcome: 'result' | 'error' | 'expired' | 'ended';
    readonly waitedMs: number;
  };
  'budget-exceeded': { readonly tool: string; readonly limit: number };
  artifact: {
    /** Tool whose result it is; absent when a model or a script produced it. */
    readonly tool?: string;
    /** Name that its creator chose. */
    readonly name?: string;
    readonly ref: string;
    readonly mediaType: string;
    readonly bytes: number;
  };

  /** A call continues as a job, and its result for now says so. The job ends with `job-finished`, also when it is stopped. */
  'job-started': { readonly jobId: string; readonly callId: string; readonly tool: string };
  'job-finished': {
    readonly jobId: string;
    readonly callId: string;
    readonly tool: string;
    readonly result: InvocationResult;
  };
}

/** Type of an event. */
export type RunEventType = keyof RunEventPayloads;

/** Event of these types: its type, the ids of its run and its payload. */
export type RunEventOf<Types extends RunEventType> = {
  [Type in Types]: { readonly type: Type } & EventScope & RunEventPayloads[Type];
}[Types];

/**
 * Event of a run. Hooks, progress of calls, streams of agents and records of runs all carry these, each a part of them, so
 * a type means the same everywhere.
 */
export type RunEvent = RunEventOf<RunEventType>;

/** Progress of a call, for live display. Calls inside a script are reported too. */
export type ProgressEvent = RunEventOf<'tool-call' | 'tool-progress' | 'tool-retry' | 'tool-result'>;

/** Receives progress in order. It should not throw: exceptions are logged and dropped. */
export type ProgressSink = (event: ProgressEvent) => void;
