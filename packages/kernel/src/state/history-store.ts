import type { JsonObject } from '../base/json.ts';
import type { ModelMessage } from '../model/model-request.ts';
import type { Page, PageRequest } from '../base/page.ts';
import type { Principal, RunWriter } from '../base/run-context.ts';

/** Message to append to a conversation. */
export interface NewHistoryEntry {
  readonly principal: Principal;
  readonly sessionId: string;
  readonly runId?: string;
  readonly message: ModelMessage;
  /** Facts about the message that are not sent to the model, such as its usage. */
  readonly details?: JsonObject;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** Stored message of a conversation. It never changes. */
export interface HistoryEntry extends NewHistoryEntry {
  /** Starts at 1, without gaps within one session of one principal. */
  readonly number: number;
}

/** Stores conversations. Two principals never share a conversation, even if their sessions have the same id. */
export interface HistoryStore {
  /**
   * Appends messages of one session of one principal, in their order, all or none. Concurrent calls do not interleave.
   * @param expectedLength number of messages that the conversation must already have
   * @param writer process that executes the run of the entries
   * @throws KernelError `E_STATE_CONFLICT` if it has another number, or `writer` no longer executes its run
   */
  append(
    entries: readonly NewHistoryEntry[],
    expectedLength?: number,
    writer?: RunWriter,
  ): Promise<readonly HistoryEntry[]>;
  /** Oldest first. */
  read(principal: Principal, sessionId: string, page?: PageRequest): Promise<Page<HistoryEntry>>;
}
