import assert from 'node:assert/strict';
import { HookManager } from '@ravi/invoker';
import { defineTool } from '@ravi/kernel';
import type { KernelError, Tool, ToolContext } from '@ravi/kernel';
import { createScriptedModel } from '@ravi/testkit';
import { test } from 'vitest';
import { ReActAgent } from '../../src/index.ts';

const usage = { inputTokens: 10, outputTokens: 5 };

/** A safe tool that starts after the response. */
function toolOf(name: string, execute: (args: object, context: ToolContext) => Promise<string>): Tool {
  const inputSchema = { type: 'object' } as const;
  return defineTool({ name, description: name, risk: 'safe', runAfterResponse: true, inputSchema, execute });
}

test('a tool asks the model of its run once, without tools, and the tokens count for the run', async () => {
  const answers: unknown[] = [];
  const tool = toolOf('judge', async (_args, { run, agent }) => {
    answers.push(await run.llm({ prompt: 'Good?', system: 'Be strict.' }), agent);
    return 'judged';
  });
  const model = createScriptedModel([
    { toolCalls: [{ name: 'judge' }], usage },
    { text: 'Yes.', usage },
    { text: 'done', usage },
  ]);
  const result = await new ReActAgent({ name: 'clerk', model, tools: [tool] }).run('go');
  assert.equal(result.text, 'done');
  assert.deepEqual(answers, [{ text: 'Yes.', usage }, 'clerk']);
  assert.deepEqual([result.usage.inputTokens, result.usage.outputTokens], [30, 15]);
  const [, asked] = model.requests;
  assert.deepEqual([asked?.system, asked?.tools], ['Be strict.', []]);
  assert.deepEqual(asked?.messages, [{ role: 'user', content: [{ type: 'text', text: 'Good?' }] }]);
});

test('a tool cannot ask the model for more than the budget of its run allows', async () => {
  const codes: string[] = [];
  const tool = toolOf('judge', async (_args, { run }) => {
    await run.llm({ prompt: 'x'.repeat(4_000_000) }).catch((error: KernelError) => codes.push(error.code));
    return 'judged';
  });
  const model = createScriptedModel([
    { toolCalls: [{ name: 'judge' }], usage },
    { text: 'done', usage },
  ]);
  const agent = new ReActAgent({ name: 'clerk', model, tools: [tool], budget: { maxTokens: 100_000 } });
  assert.equal((await agent.run('go')).text, 'done');
  assert.deepEqual([codes, model.requests.length], [['E_BUDGET_EXHAUSTED'], 2]);
});

test('a tool reserves a request to a model of its own in the budget of its run, and settles it once', async () => {
  const codes: string[] = [];
  const planned = (outputTokens: number) => ({
    provider: 'own',
    model: 'own',
    usage: { inputTokens: 0, outputTokens },
  });
  const tool = toolOf('sample', async (_args, { reserveModel }) => {
    await reserveModel(planned(100_000)).catch((error: KernelError) => codes.push(error.code));
    const reservation = await reserveModel(planned(50_000));
    await reserveModel(planned(50_000)).catch((error: KernelError) => codes.push(error.code));
    reservation.settle(planned(40_000));
    reservation.settle(planned(1));
    await reserveModel(planned(60_000)).catch((error: KernelError) => codes.push(error.code));
    (await reserveModel(planned(50_000))).settle({ provider: 'own', model: 'own' });
    return 'sampled';
  });
  const lent: unknown[] = [];
  const hooks = new HookManager();
  hooks.observe('model-lent', ({ usage: used }) => void lent.push(used?.outputTokens));
  const model = createScriptedModel([
    { toolCalls: [{ name: 'sample' }], usage },
    { text: 'done', usage },
  ]);
  const agent = new ReActAgent({ name: 'clerk', model, tools: [tool], hooks, budget: { maxTokens: 100_000 } });
  assert.equal((await agent.run('go')).text, 'done');
  assert.deepEqual(codes, ['E_BUDGET_EXHAUSTED', 'E_BUDGET_EXHAUSTED', 'E_BUDGET_EXHAUSTED']);
  assert.deepEqual(lent, [40_000, undefined]);
});

test('a tool waits for a job of its run, and stops another one', async () => {
  const seen: unknown[] = [];
  const ids: string[] = [];
  const slow = defineTool({
    name: 'slow',
    description: 'Works in the background.',
    risk: 'safe',
    mode: 'background',
    inputSchema: { type: 'object', properties: { ends: { type: 'boolean' } } },
    execute: ({ ends }, { signal }) =>
      ends === true
        ? 'slow is done'
        : new Promise<string>((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
  });
  const look = toolOf('look', async (_args, { jobs }) => {
    const [first = '', second = ''] = ids;
    seen.push((await jobs?.wait(first))?.result?.text, jobs?.get(second)?.status, jobs?.stop(second, 'enough'));
    seen.push(jobs?.get(second)?.status, await jobs?.wait('other').catch((error: KernelError) => error.code));
    return 'looked';
  });
  const model = createScriptedModel([
    { toolCalls: [{ name: 'slow', arguments: { ends: true } }, { name: 'slow' }] },
    { toolCalls: [{ name: 'look' }] },
    { text: 'done' },
  ]);
  const stream = new ReActAgent({ name: 'clerk', model, tools: [slow, look] }).stream('go');
  for await (const event of stream) if (event.type === 'job-started') ids.push(event.jobId);
  assert.equal((await stream.result).text, 'done');
  assert.deepEqual(seen, ['slow is done', 'running', true, 'cancelled', 'E_ARGUMENTS_INVALID']);
});
