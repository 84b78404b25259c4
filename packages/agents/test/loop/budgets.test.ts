import assert from 'node:assert/strict';
import type { ModelProvider } from '@ravi/kernel';
import { createFakeClock, createScriptedModel } from '@ravi/testkit';
import { test } from 'vitest';
import { Budget } from '../../src/agent/budget.ts';
import { createAgentTool, ReActAgent } from '../../src/index.ts';
import type { AgentContext, AgentMiddleware, ModelPrice, PriceTable } from '../../src/index.ts';

test('a run that ends while its view is computed reserves nothing for the request that is not sent', async () => {
  let context: AgentContext | undefined;
  const stopped = (): ReActAgent =>
    new ReActAgent({
      name: 'worker',
      model: createScriptedModel([{ text: 'never' }]),
      middleware: [
        {
          step(own, next) {
            context = own;
            return next();
          },
        },
      ],
      view: {
        async view(messages) {
          context?.stop('enough');
          return messages;
        },
      },
    });
  const spawning: AgentMiddleware = {
    async step(own, next) {
      for (let time = 0; time < 3; time++) {
        assert.equal((await own.join(own.spawn(stopped(), 'Look'))).status, 'stopped');
      }
      await next();
    },
  };
  const model = createScriptedModel([{ text: 'ok' }]);
  const agent = new ReActAgent({ name: 'lead', model, middleware: [spawning], budget: { maxTokens: 2_500 } });
  assert.equal((await agent.run('go')).status, 'completed');
});

test('each budget uses its own price table: by the model that responded, else by the requested one', () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 0 };
  const price = (input: number): ModelPrice => ({ input, output: 0 });
  const asked = { 'm-1': price(3) };
  const answered = { 'm-1-dated': price(2) };
  const spent = (above: PriceTable, below: PriceTable): number => {
    const clock = createFakeClock();
    const parent = new Budget({ limits: {}, prices: above, clock });
    const child = new Budget({ limits: {}, prices: below, clock, parent });
    const reservation = child.reserve(usage, 'm-1');
    assert.ok(typeof reservation !== 'string');
    reservation.settle(usage, 'm-1-dated');
    reservation.settle(usage, 'm-1-dated');
    return parent.spent.cost;
  };
  assert.equal(spent(asked, { ...asked, ...answered }), 3);
  assert.equal(spent({ ...asked, ...answered }, asked), 2);
  assert.equal(spent(answered, asked), 2);
});

test('a sub-agent with its own prices spends the budget of its caller', async () => {
  const worker: ModelProvider = {
    id: 'm',
    async *stream() {
      const usage = { inputTokens: 1_000_000, outputTokens: 0 };
      yield { type: 'finish', reason: 'end', usage, model: 'm-dated' };
    },
  };
  const price = { input: 3, output: 3 };
  const prices = { m: price, 'm-dated': price };
  const child = new ReActAgent({ name: 'worker', model: worker, budget: {}, prices });
  const calls = { toolCalls: [{ name: 'worker', arguments: { task: 'Look' } }] };
  const model = createScriptedModel([calls, { text: 'never' }], { id: 'free' });
  const agent = new ReActAgent({
    name: 'lead',
    model,
    tools: [createAgentTool(child)],
    budget: { maxCost: 1 },
    prices: { m: price, free: { input: 0, output: 0 } },
  });
  const result = await agent.run('go');
  assert.deepEqual([result.status, result.reason, result.steps], ['stopped', 'budget', 2]);
  assert.match(result.error?.message ?? '', /3\.0000 is used/);
});
