import type { ModelMessage } from '@ravi/kernel';
import { textBlock } from '@ravi/kernel';
import type { HistoryView } from '../loop/agent-options.ts';
import { messageTokens } from '../loop/usage.ts';

/** Options of {@link createCompaction}. */
export interface CompactionOptions {
  /** About the tokens above which the beginning is summed up. */
  readonly maxTokens: number;
  /** About the tokens at the end that stay as they are; half of `maxTokens` when absent. */
  readonly keepTokens?: number;
  /** Text that stands for messages: what was asked, decided, found out, and what is open. */
  summarize(messages: readonly ModelMessage[], options: { readonly signal: AbortSignal }): Promise<string>;
}

interface Summary {
  /** Messages that it stands for. */
  readonly length: number;
  readonly last: ModelMessage;
  readonly message: ModelMessage;
}

/**
 * A view that shows the beginning of a long conversation as a summary. It cuts before an answer of the model, so no call
 * loses its result. A summary is made once and extended when the rest has grown too long again.
 */
export function createCompaction({ maxTokens, keepTokens = maxTokens / 2, summarize }: CompactionOptions): HistoryView {
  // By the first message, which a conversation keeps.
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

// The first answer of the model behind which no more than `keepTokens` stand; the last one when even that is too long.
function cutOf(messages: readonly ModelMessage[], keepTokens: number): number | undefined {
  let tokens = 0;
  let cut: number | undefined;
  for (let index = messages.length - 1; index > 1; index--) {
    const message = messages[index] as ModelMessage;
    tokens += messageTokens(message);
    if (tokens > keepTokens && cut !== undefined) break;
    if (message.role === 'assistant' && messages[index - 1]?.role === 'user') cut = index;
  }
  return cut;
}

function summaryMessage(text: string): ModelMessage {
  return { role: 'user', content: [textBlock(`Summary of the conversation so far:\n${text}`)] };
}

function tokensOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}
