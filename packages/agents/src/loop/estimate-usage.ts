import type { ContentBlock, ModelMessage, ModelRequest, ModelUsage, ToolSpec } from '@ravi/kernel';

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
