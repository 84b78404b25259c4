import type { ModelUsage, ContentBlock, ModelMessage, ModelRequest, ToolSpec } from '@ravi/kernel';

/** Returns the sum of two usages; an optional part that both lack stays absent. */
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
/** Approximate cost of a picture or a page. */
const mediaTokens = 1_000;
/** Assumed length of a response without a limit. */
const expectedOutputTokens = 1_000;

/** Smaller requests say little about the text of a conversation. */
const minComparedTokens = 500;
const maxFactor = 3;

/** Estimates the requests of one conversation. Each message and tool is counted once. */
export class UsageEstimate {
  readonly #counted = new Map<ModelMessage | ToolSpec, number>();
  #factor = 1;

  /** Tokens that the model counted for one that was estimated; at least 1. */
  get factor(): number {
    return this.#factor;
  }

  /** Returns the approximate input tokens of a request, from what the model counted for the last one. */
  inputOf(request: ModelRequest): number {
    return Math.ceil(this.of(request).inputTokens * this.#factor);
  }

  /** Compares a request with what the model counted. Far more is not its text, such as the usage of other models. */
  compare(request: ModelRequest, { inputTokens }: ModelUsage): void {
    const estimated = this.of(request).inputTokens;
    if (estimated < minComparedTokens || inputTokens === 0) return;
    this.#factor = Math.min(maxFactor, Math.max(1, inputTokens / estimated));
  }

  /** Returns the approximate usage of a request, for a reservation. */
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

/** Returns the approximate number of tokens of a message. */
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

/** Prices of one model per million tokens. Cache prices default to the input price. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
}

/** Prices by model name, as in requests or responses, or by provider id; all in one currency. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

const million = 1_000_000;

/** Returns the cost of the tokens; `undefined` if the table lacks the model. */
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
