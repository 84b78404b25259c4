import assert from 'node:assert/strict';
import type { JsonValue, ToolRisk } from '@ravi/kernel';
import { test } from 'vitest';
import { defineStatefulTool } from '../../src/index.ts';
import { createHarness } from '../support/harness.ts';

function createQuiz(risk: ToolRisk = 'safe'): {
  readonly tools: ReturnType<typeof defineStatefulTool>;
  readonly ended: string[];
} {
  const ended: string[] = [];
  const tools = defineStatefulTool({
    name: 'quiz',
    description: 'Asks two questions.',
    risk,
    inputSchema: { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] },
    async *execute({ topic }) {
      try {
        const first = yield `${topic}: one?`;
        const second = yield `${topic}: two?`;
        return [first, second];
      } finally {
        ended.push(topic);
      }
    },
  });
  return { tools, ended };
}

function idOf(structured: JsonValue | undefined): string {
  return (structured as { readonly id: string }).id;
}

test('the model replies to each intermediate result until the last one', async () => {
  const { tools, ended } = createQuiz();
  const { call } = createHarness(tools);
  const first = await call('quiz', { topic: 'maths' });
  const id = idOf(first.structured);
  assert.deepEqual(first.structured, { id, status: 'waiting', value: 'maths: one?' });
  const second = await call('quiz_continue', { id, input: 1 });
  assert.deepEqual(second.structured, { id, status: 'waiting', value: 'maths: two?' });
  const last = await call('quiz_continue', { id, input: { two: 2 } });
  assert.deepEqual(last.structured, { id, status: 'done', value: [1, { two: 2 }] });
  assert.deepEqual(ended, ['maths']);
  assert.equal((await call('quiz_continue', { id })).status, 'error');
});

test('a stateful call ends by stop and with its session, and its cleanup runs', async () => {
  const { tools, ended } = createQuiz();
  const { call, session } = createHarness(tools);
  const id = idOf((await call('quiz', { topic: 'a' })).structured);
  assert.deepEqual((await call('quiz_continue', { id, stop: true })).structured, { id, status: 'stopped' });
  await call('quiz', { topic: 'b' });
  await session.close();
  assert.deepEqual(ended, ['a', 'b']);
});

test('another session cannot continue it', async () => {
  const { tools } = createQuiz();
  const { call, invoker } = createHarness(tools);
  const id = idOf((await call('quiz', { topic: 'a' })).structured);
  await using other = invoker.openSession();
  const result = await invoker.invoke({ name: 'quiz_continue', args: { id } }, { session: other });
  assert.equal(result.error?.code, 'E_ARGUMENTS_INVALID');
  assert.equal((await call('quiz_continue', { id, input: 1 })).status, 'ok');
});

test('a continuation needs the same approval as the start', async () => {
  const { tools } = createQuiz('high');
  const { call } = createHarness(tools);
  assert.equal((await call('quiz_continue', { id: 'x' })).error?.code, 'E_APPROVAL_NO_HANDLER');
});
