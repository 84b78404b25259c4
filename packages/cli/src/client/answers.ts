import type { ApprovalView } from '@ravi/approval-kit';
import type { BlobStat, ChainCallRecord, JsonObject, ModelUsage, Run } from '@ravi/kernel';

/** A page of a list. */
export interface ListAnswer<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** `GET /v1/runs/{id}` */
export interface RunAnswer extends Run {
  readonly trace: readonly ChainCallRecord[];
  readonly steps: number;
  readonly usage: ModelUsage;
  readonly plainConversationTokens: number;
  readonly artifacts: readonly BlobStat[];
  readonly pendingApprovals: readonly { readonly id: string; readonly tool: string }[];
  /** What the agent asks its user. */
  readonly questions?: readonly QuestionAsked[];
  readonly task?: string;
  readonly script?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly excerpt?: string };
}

/** A question of an agent to its user. */
export interface QuestionAsked {
  readonly callId: string;
  readonly question: string;
  readonly choices?: readonly string[];
}

/** `GET /v1/approvals/{id}` */
export interface ApprovalAnswer {
  readonly approval: ApprovalView;
}

/** One event of `GET /v1/runs/{id}/events`. */
export interface RunEvent {
  readonly type: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly data: JsonObject;
}

/** `GET /v1/approvals` */
export interface ApprovalsAnswer {
  readonly items: readonly ApprovalView[];
  readonly next?: string;
}
