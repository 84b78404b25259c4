import type { ModelMessage } from '../model/model-request.ts';

/** Services that a {@link HistoryView} may use. */
export interface HistoryViewOptions {
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
}

/**
 * Port `historyView`: selects the messages that a model sees. The conversation itself does not change. Several views act in the order
 * of the configuration, each on the messages of the one before it.
 */
export interface HistoryView {
  /**
   * Returns the messages to send: they begin with the user, and each call has its result. The same conversation gives the same
   * messages, so that providers can cache them. If it throws, the run fails.
   */
  view(
    messages: readonly ModelMessage[],
    options: HistoryViewOptions,
  ): readonly ModelMessage[] | Promise<readonly ModelMessage[]>;
}
