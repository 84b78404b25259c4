import { textBlock, textOf } from '@ravi/kernel';
import type {
  ContentBlock,
  JsonObject,
  ModelEvent,
  ModelMessage,
  ModelProvider,
  ModelRequest,
  Plugin,
} from '@ravi/kernel';
import { euros, orders } from './orders.ts';

/** Responses of a model that would follow its instructions. It recognizes the agent by the tools that the request declares. */
function respond({ tools, messages }: ModelRequest): ContentBlock {
  const names = new Set(tools.map(({ name }) => name));
  const [task = '', ...results] = messages.filter(({ role }) => role === 'user').map(textOfMessage);
  if (names.has('refunds')) return desk(task, results);
  if (names.has('refund_order')) return clerk(task, results);
  return verdict(task);
}

/** Gives the request to the agent `refunds` and passes its report on. */
function desk(task: string, [report]: readonly string[]): ContentBlock {
  return report === undefined ? call('refunds', { task }) : textBlock(`Thank you for your message. ${report}`);
}

/** Finds the order, refunds it, writes the letter and reports. */
function clerk(task: string, [found, refund, letter]: readonly string[]): ContentBlock {
  const [order = ''] = /[A-Z]-\d+/.exec(task) ?? [];
  const cents = orders.get(order)?.cents ?? 0;
  if (found === undefined) return call('find_order', { order });
  if (refund === undefined) return call('refund_order', { order, cents, reason: task });
  if (!refund.includes('refunded')) return textBlock(`I could not refund order ${order}: ${refund}`);
  if (letter === undefined)
    return call('write_letter', { order, text: `We refund ${euros(cents)} of order ${order}.` });
  return textBlock(`Order ${order} is refunded with ${euros(cents)}; the letter is attached.`);
}

/** Judges a call as the instructions of the auditor say. */
function verdict(task: string): ContentBlock {
  const { arguments: args } = JSON.parse(task.split('\n').at(-1) ?? '') as { readonly arguments: { cents: number } };
  const allow = args.cents <= 10_000;
  return textBlock(JSON.stringify({ allow, reason: allow ? '' : 'it is above 100 €' }));
}

function call(name: string, args: JsonObject): ContentBlock {
  return { type: 'tool_use', id: `call_${crypto.randomUUID()}`, name, arguments: args };
}

function textOfMessage({ content }: ModelMessage): string {
  return content.map((block) => textOf(block.type === 'tool_result' ? block.content : [block])).join('\n');
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

/** Model for a desk without a key. */
const scriptedModel: Plugin<'modelProvider'> = {
  name: 'scripted-model',
  port: 'modelProvider',
  configSchema: { type: 'object', additionalProperties: false },
  create: (): ModelProvider => ({ id: 'scripted', model: 'scripted', stream }),
};

export default scriptedModel;
