import { textBlock } from '@ravi/kernel';
import type { ContentBlock, ModelEvent, ModelProvider, ModelRequest, Plugin } from '@ravi/kernel';
import { nextOfCoder } from './coder.ts';
import { readConversation } from './conversation.ts';
import { nextOfReviewer } from './reviewer.ts';

/** Returns the next response of a model that would follow its instructions. It recognizes the agent by the tools of the request. */
function respond({ tools, messages }: ModelRequest): ContentBlock {
  const conversation = readConversation(messages);
  const isCoder = tools.some(({ name }) => name === 'reviewer');
  const next = isCoder ? nextOfCoder(conversation) : nextOfReviewer(conversation);
  if (typeof next === 'string') return textBlock(next);
  const { tool, args } = next;
  return { type: 'tool_use', id: `call_${crypto.randomUUID()}`, name: tool, arguments: args };
}

async function* stream(request: ModelRequest): AsyncIterable<ModelEvent> {
  const block = respond(request);
  yield { type: 'block', block };
  const usage = { inputTokens: tokensOf(request.messages), outputTokens: tokensOf(block) };
  yield { type: 'finish', reason: block.type === 'tool_use' ? 'tool-use' : 'end', usage };
}

/** Rough count, so that budgets of tokens count something. */
function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

/** Model for a coding agent without a key. It knows one kind of mistake. */
const scriptedModel: Plugin<'modelProvider'> = {
  name: 'scripted-model',
  port: 'modelProvider',
  configSchema: { type: 'object', additionalProperties: false },
  create: (): ModelProvider => ({ id: 'scripted', model: 'scripted', stream }),
};

export default scriptedModel;
