import type { HistoryView, ModelMessage } from '@ravi/kernel';
import { messageTokens } from '../agent/usage.ts';
import { cutOf, summaryMessage } from '../conversation/summary.ts';

/** Options of {@link createCompaction}. */
export interface CompactionOptions {
  /** Approximate number of tokens above which the beginning is summarized. */
  readonly maxTokens: number;
  /** Approximate number of tokens at the end that stay unchanged; default half of `maxTokens`. */
  readonly keepTokens?: number;
  /** Returns a text that replaces messages: tasks, decisions, findings and open questions. */
  summarize(messages: readonly ModelMessage[], options: { readonly signal: AbortSignal }): Promise<string>;
}

interface Summary {
  /** Number of messages that the summary replaces. */
  readonly length: number;
  readonly last: ModelMessage;
  readonly message: ModelMessage;
}

/**
 * Creates a view that replaces the beginning of a long conversation by a summary. The cut is before a response of the
 * model, so no call loses its result. A summary is reused, and extended when the rest has grown too long again.
 */
export function createCompaction({ maxTokens, keepTokens = maxTokens / 2, summarize }: CompactionOptions): HistoryView {
  // The key is the first message, which identifies the conversation.
  const summaries = new WeakMap<ModelMessage, Summary>();

  return {
    async view(messages, { signal }) {
      const [first] = messages;
      if (first === undefined) return messages;
      const known = summaries.get(first);
      const summary = known !== undefined && messages[known.length - 1] === known.last ? known : undefined;
      const shown = summary === undefined ? messages : [summary.message, ...messages.slice(summary.length)];
      if (tokensOf(shown) <= maxTokens) return shown;
      const cut = cutOf(shown, keepTokens);
      if (cut === undefined) return shown;
      const message = summaryMessage(await summarize(shown.slice(0, cut), { signal }));
      const length = messages.length - (shown.length - cut);
      summaries.set(first, { length, last: messages[length - 1] as ModelMessage, message });
      return [message, ...messages.slice(length)];
    },
  };
}

function tokensOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}
