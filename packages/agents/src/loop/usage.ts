import type { ModelUsage, ContentBlock, ModelMessage, ModelRequest, ToolSpec } from '@ravi/kernel';

/** The sum of two; a part that neither names stays absent. */
export function addUsage(left: ModelUsage, right: ModelUsage): ModelUsage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    ...sumOf('cachedInputTokens', left, right),
    ...sumOf('cacheWriteTokens', left, right),
    ...sumOf('reasoningTokens', left, right),
  };
}

function sumOf<Part extends 'cachedInputTokens' | 'cacheWriteTokens' | 'reasoningTokens'>(
  part: Part,
  left: ModelUsage,
  right: ModelUsage,
): { readonly [Key in Part]?: number } {
  if (left[part] === undefined && right[part] === undefined) return {};
  return { [part]: (left[part] ?? 0) + (right[part] ?? 0) } as { readonly [Key in Part]: number };
}

/** English and JSON have about four characters to a token. */
const charactersPerToken = 4;
/** About what a picture or a page costs. */
const mediaTokens = 1_000;
/** What an answer is taken for that has no bound. */
const expectedOutputTokens = 1_000;

/** Estimates requests of one conversation: what was counted once is not counted again. */
export class UsageEstimate {
  readonly #counted = new Map<ModelMessage | ToolSpec, number>();

  /** About what a request will use: good enough to set aside before the truth is known. */
  of({ system = '', messages, tools, maxOutputTokens }: ModelRequest): ModelUsage {
    let inputTokens = textTokens(system);
    for (const message of messages) inputTokens += this.#once(message, messageTokens);
    for (const spec of tools) inputTokens += this.#once(spec, (each) => textTokens(JSON.stringify(each)));
    return { inputTokens, outputTokens: maxOutputTokens ?? expectedOutputTokens };
  }

  #once<Part extends ModelMessage | ToolSpec>(part: Part, count: (part: Part) => number): number {
    const counted = this.#counted.get(part) ?? count(part);
    this.#counted.set(part, counted);
    return counted;
  }
}

/** About the tokens of one message. */
export function messageTokens(message: ModelMessage): number {
  return message.content.reduce((sum, block) => sum + blockTokens(block), 0);
}

function blockTokens(block: ContentBlock): number {
  if (block.type === 'text' || block.type === 'reasoning') return textTokens(block.text);
  if (block.type === 'tool_result') return block.content.reduce((sum, each) => sum + blockTokens(each), 1);
  if (block.type === 'image' || block.type === 'audio' || block.type === 'document') return mediaTokens;
  return textTokens(JSON.stringify(block));
}

function textTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

/** Prices of one model for a million tokens. What goes through the cache costs the full input price unless named. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
}

/** Prices by the name of the model, as requests or answers name it, or by the id of its provider; all in one currency. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

const million = 1_000_000;

/** What the tokens cost; `undefined` when the table does not know the model. */
export function costOf(prices: PriceTable | undefined, model: string, usage: ModelUsage): number | undefined {
  if (prices === undefined || !Object.hasOwn(prices, model)) return undefined;
  const price = prices[model] as ModelPrice;
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
  const plain = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  return (
    (plain * price.input +
      cachedInputTokens * (price.cachedInput ?? price.input) +
      cacheWriteTokens * (price.cacheWrite ?? price.input) +
      outputTokens * price.output) /
    million
  );
}
