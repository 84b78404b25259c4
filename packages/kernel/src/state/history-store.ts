import type { JsonObject } from '../base/json.ts';
import type { ModelMessage } from '../model/model-request.ts';
import type { Page, PageRequest } from '../base/page.ts';
import type { Principal } from '../base/run-context.ts';

/** A turn as it happens. */
export interface NewTurn {
  readonly principal: Principal;
  readonly sessionId: string;
  readonly runId?: string;
  readonly message: ModelMessage;
  /** What belongs to the turn and is not for the model: usage, which model. */
  readonly details?: JsonObject;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** A turn as it stands; it never changes. */
export interface Turn extends NewTurn {
  /** From 1 without gaps within one session of one principal. */
  readonly number: number;
}

/** Keeps conversations, turn by turn. Two principals never share one, even when the session has the same id. */
export interface HistoryStore {
  /**
   * Adds the turns in their order, all or none, behind what the conversation has. They belong to one session of one
   * principal. Of two at once one comes first as a whole.
   * @param expectedLength when given, the number of turns that the conversation must have
   * @throws KernelError `E_STATE_CONFLICT` when it has another
   */
  append(turns: readonly NewTurn[], expectedLength?: number): Promise<readonly Turn[]>;
  /** Oldest first. */
  read(principal: Principal, sessionId: string, page?: PageRequest): Promise<Page<Turn>>;
}
