import assert from 'node:assert/strict';
import { Cancellation } from '@ravi/invoker/internal';
import type { ModelEvent, ModelProvider } from '@ravi/kernel';
import { createFakeClock, createScriptedModel, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createGuardrail, ReActAgent, Supervision } from '../../src/index.ts';
import type { AgentContext, AgentMiddleware, AgentOptions, GuardrailOptions } from '../../src/index.ts';

const finish: ModelEvent = { type: 'finish', reason: 'end', usage: { inputTokens: 0, outputTokens: 0 } };

function asking(turns: Parameters<typeof createScriptedModel>[0], more: Partial<AgentOptions> = {}): ReActAgent {
  return new ReActAgent({ name: 'clerk', model: createScriptedModel(turns), ...more });
}

/** True if a place to write is free. */
async function isFree(supervision: Supervision): Promise<boolean> {
  const controller = new AbortController();
  const entering = supervision.enter(0, new Cancellation(controller.signal));
  const hasEntered = await Promise.race([entering.then(() => true), settle().then(() => false)]);
  controller.abort();
  await entering.then(
    (leave) => leave(),
    () => {},
  );
  return hasEntered;
}

test('a guardrail may ask an agent before and after the response, with maxConcurrent 1', async () => {
  for (const side of ['input', 'output'] as const) {
    const supervision = new Supervision({ maxConcurrent: 1 });
    const check: GuardrailOptions['output'] = async (_, context) => {
      const checked = await context.join(context.spawn(asking([{ text: 'fine' }]), 'Is this fine?'));
      return checked.text === 'fine' ? undefined : 'not fine';
    };
    const middleware = [createGuardrail({ name: 'checker', [side]: check })];
    assert.equal((await asking([{ text: 'ok' }], { supervision, middleware }).run('go')).status, 'completed');
    assert.ok(await isFree(supervision));
  }
});

test('a place is released when the model fails, when the reader stops, and when a model that ignores its signal is cancelled', async () => {
  const deaf: ModelProvider = {
    id: 'deaf',
    async *stream() {
      yield { type: 'text-delta', text: 'a' };
      await new Promise(() => {});
    },
  };
  const throwing: ModelProvider = {
    id: 'throwing',
    stream() {
      throw new Error('out of paper');
    },
  };
  const taking: AgentMiddleware = {
    async *model(request, next) {
      for await (const event of next(request)) {
        if (event.type === 'text-delta') break;
      }
      yield finish;
    },
  };
  const failed = createScriptedModel([{ text: 'Hel', error: { code: 'E_X', message: 'no', retryable: false } }]);
  for (const [status, options] of [
    ['cancelled', { model: deaf }],
    ['failed', { model: throwing }],
    ['failed', { model: failed }],
    ['completed', { model: createScriptedModel([{ text: 'Hello you' }]), middleware: [taking] }],
  ] as const) {
    const supervision = new Supervision({ maxConcurrent: 1 });
    const controller = new AbortController();
    const running = asking([], { supervision, ...options }).run('go', { signal: controller.signal });
    await settle();
    assert.equal(await isFree(supervision), status !== 'cancelled');
    controller.abort();
    assert.equal((await running).status, status);
    assert.ok(await isFree(supervision));
  }
});

test('a provider that does not end after its last event keeps its place for one second', async () => {
  const clock = createFakeClock();
  const supervision = new Supervision({ maxConcurrent: 1 });
  const halt = Promise.withResolvers<void>();
  const model: ModelProvider = {
    id: 'slow',
    async *stream() {
      try {
        yield finish;
      } finally {
        await new Promise(() => {});
      }
    },
  };
  const middleware: readonly AgentMiddleware[] = [
    {
      async step(_, next) {
        await next();
        await halt.promise;
      },
    },
  ];
  const running = asking([], { model, supervision, clock, middleware }).run('go');
  await settle();
  assert.equal(await isFree(supervision), false);
  clock.advance(1_000);
  assert.ok(await isFree(supervision));
  halt.resolve();
  assert.equal((await running).status, 'completed');
});

test('a request that is cancelled while waiting takes no place', async () => {
  const supervision = new Supervision({ maxConcurrent: 1 });
  const leave = await supervision.enter(0, new Cancellation());
  const impatient: AgentMiddleware = {
    async *model(request, next) {
      const reading = next(request)[Symbol.asyncIterator]();
      void reading.next();
      await reading.return?.();
      yield finish;
    },
  };
  const model = createScriptedModel([{ text: 'never' }]);
  const agent = new ReActAgent({ name: 'clerk', model, supervision, middleware: [impatient] });
  assert.equal((await agent.run('go')).status, 'completed');
  leave();
  assert.ok(await isFree(supervision));
  assert.equal(model.requests.length, 0);
});

test('the reservation of a waiting request is released when it is cancelled', async () => {
  const supervision = new Supervision({ maxConcurrent: 1 });
  const statuses: string[] = [];
  const step = async (context: AgentContext, next: () => Promise<void>): Promise<void> => {
    const leave = await supervision.enter(0, new Cancellation());
    for (let time = 0; time < 3; time++) {
      const controller = new AbortController();
      const child = context.spawn(asking([{ text: 'never' }]), 'Look', { signal: controller.signal });
      await settle();
      controller.abort();
      statuses.push((await context.join(child)).status);
    }
    leave();
    await next();
  };
  const budget = { maxTokens: 2_500 };
  const result = await asking([{ text: 'ok' }], { supervision, budget, middleware: [{ step }] }).run('go');
  assert.deepEqual([...statuses, result.status], ['cancelled', 'cancelled', 'cancelled', 'completed']);
});
