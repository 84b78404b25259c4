import type { ContentBlock, ModelMessage, ModelRequest, ModelUsage, ToolSpec } from '@ravi/kernel';

/** English and JSON have about four characters to a token. */
const charactersPerToken = 4;
/** About what a picture or a page costs. */
const mediaTokens = 1_000;
/** What an answer is taken for that has no bound. */
const expectedOutputTokens = 1_000;

const known = new WeakMap<object, number>();

/** About what a request will use: good enough to set aside before the truth is known. */
export function estimateUsage({ system = '', messages, tools, maxOutputTokens }: ModelRequest): ModelUsage {
  const parts = [...messages.map((message) => once(message, () => messageTokens(message))), ...tools.map(specTokens)];
  return {
    inputTokens: parts.reduce((sum, tokens) => sum + tokens, textTokens(system)),
    outputTokens: maxOutputTokens ?? expectedOutputTokens,
  };
}

/** About the tokens of one message. */
export function messageTokens(message: ModelMessage): number {
  return once(message, () => message.content.reduce((sum, block) => sum + blockTokens(block), 0));
}

function specTokens(spec: ToolSpec): number {
  return once(spec, () => textTokens(JSON.stringify(spec)));
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

function once(key: object, count: () => number): number {
  let tokens = known.get(key);
  if (tokens === undefined) {
    tokens = count();
    known.set(key, tokens);
  }
  return tokens;
}
