import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { defineTool } from '@ravi/kernel';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, describe, test } from 'vitest';
import { openConversation } from '../src/tokens/conversation.ts';
import { crawl } from '../src/tokens/crawl.ts';
import { expenses } from '../src/tokens/expenses.ts';
import { pipeline } from '../src/tokens/pipeline.ts';
import { callTools, openScriptGuests, runScript } from '../src/tokens/tokens.ts';

const guests = openScriptGuests();
afterAll(() => guests[Symbol.asyncDispose]());

describe.each([expenses, pipeline, crawl])('$name', (workload) => {
  test('a script comes to the answer in one call', async () => {
    strictEqual((await runScript(workload, guests)).turns, 2);
  });
});

test('plain calls come to the same answer, with more turns and more to read', async () => {
  const [plain, chain] = [await callTools(crawl), await runScript(crawl, guests)];
  strictEqual(plain.turns, 11);
  ok(chain.inputTokens < plain.inputTokens);
});

test('a turn costs what was said before it, and its own calls and results only later turns', async () => {
  const say = defineTool({
    name: 'say',
    description: 'Says it',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    execute: ({ text }) => `${text as string} and more`,
  });
  const registry = new Toolbox([say]);
  const open = () => openConversation(new ToolInvoker({ registry }), registry.schemas(''), 'Say something');
  const { turns, inputTokens: start } = open().finish();
  strictEqual(turns, 1);

  const conversation = open();
  const [result] = await conversation.takeStep([{ name: 'say', args: { text: 'one' } }]);
  strictEqual(result?.text, 'one and more');
  await conversation.takeStep([{ name: 'say', args: { text: 'two' } }]);
  const step = (text: string): number => 6 + countTokens(`say({"text":"${text}"})`) + countTokens(`${text} and more`);
  deepStrictEqual(conversation.finish(), { turns: 3, inputTokens: 3 * start + 2 * step('one') + step('two') });
});

test('a call that fails ends the conversation', async () => {
  const registry = new Toolbox();
  const { takeStep } = openConversation(new ToolInvoker({ registry }), [], 'Do it');
  const failure = await takeStep([{ name: 'absent', args: {} }]).catch((error: unknown) => error);
  ok(failure instanceof Error && failure.message.startsWith('absent: '));
});
