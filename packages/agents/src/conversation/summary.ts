import { textBlock, textOf } from '@ravi/kernel';
import type { ContentBlock, JsonObject, ModelMessage, ModelUsage } from '@ravi/kernel';
import { messageTokens } from '../agent/usage.ts';

/** Summary in place of the beginning of a conversation. The conversation itself does not change. */
export interface ConversationSummary {
  /** Number of messages that it replaces. */
  readonly length: number;
  readonly text: string;
  /** Estimated tokens of a request that a model refused as too long; absent if none did. */
  readonly refusedTokens?: number;
  /** True if a tool asked for it: requests then have it even where the whole conversation would fit. */
  readonly isAsked?: true;
}

const key = 'summary';

/** Returns a summary as the details of the entry with which a history stores it, and the tokens that it took. */
export function summaryDetails(summary: ConversationSummary, usage: ModelUsage): JsonObject {
  return { [key]: { ...summary }, usage: { ...usage } };
}

/** Returns the summary in the details of an entry; `undefined` for an entry of the conversation itself. */
export function summaryIn(details: JsonObject | undefined): ConversationSummary | undefined {
  const { length, text, refusedTokens, isAsked } = (details?.[key] ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof length !== 'number' || typeof text !== 'string') return undefined;
  const refused = typeof refusedTokens === 'number' ? { refusedTokens } : {};
  return { length, text, ...refused, ...(isAsked === true ? { isAsked } : {}) };
}

/** Returns the message with which a request shows a summary. */
export function summaryMessage(text: string): ModelMessage {
  return { role: 'user', content: [textBlock(`Summary of the conversation so far:\n${text}`)] };
}

/**
 * Returns the index of the first response of the model after which at most `keepTokens` follow; the last one if even that is too
 * long, and `undefined` if nothing can be left out. No call before the index loses its result.
 */
export function cutOf(messages: readonly ModelMessage[], keepTokens: number): number | undefined {
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

const maxBlockCharacters = 8_000;

/** Returns messages as lines of JSON, in parts of about `maxCharacters`. Long blocks lose their middle. */
export function transcriptOf(messages: readonly ModelMessage[], maxCharacters: number): readonly string[] {
  const maxText = Math.min(maxBlockCharacters, Math.ceil(maxCharacters / 4));
  const parts: string[] = [];
  let lines: string[] = [];
  let characters = 0;
  for (const { role, content } of messages) {
    for (const block of content) {
      const line = JSON.stringify({ role, ...factsOf(block, maxText) });
      if (characters > 0 && characters + line.length > maxCharacters) {
        parts.push(lines.join('\n'));
        [lines, characters] = [[], 0];
      }
      lines.push(line);
      characters += line.length;
    }
  }
  return lines.length === 0 ? parts : [...parts, lines.join('\n')];
}

function factsOf(block: ContentBlock, maxText: number): JsonObject {
  const short = (text: string): string => withoutMiddle(text, maxText);
  switch (block.type) {
    case 'text':
      return { text: short(block.text) };
    case 'tool_use':
      return { call: block.name, arguments: short(JSON.stringify(block.arguments)) };
    case 'tool_result': {
      const shown = short(textOf(block.content));
      return block.isError ? { error: shown } : { result: shown };
    }
    default:
      return { block: block.type };
  }
}

function withoutMiddle(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const half = Math.floor(maxCharacters / 2);
  return `${text.slice(0, half)} … ${text.length - 2 * half} characters left out … ${text.slice(-half)}`;
}
