import assert from 'node:assert/strict';
import type { ApprovalHandler, ModelProvider } from '@ravi/kernel';
import { createFakeClock, createScriptedModel, createTestApprovals, pairingProblems, settle } from '@ravi/testkit';
import type { FakeClock, ScriptedTurn } from '@ravi/testkit';
import { test } from 'vitest';
import { createFailover, ReActAgent } from '../../src/index.ts';
import type { AgentOptions, AgentResult } from '../../src/index.ts';
import { createTestHistory } from '../support/memory-state.ts';
import type { TestHistory } from '../support/memory-state.ts';
import { createOffice } from '../support/office-tools.ts';

/** Three steps with two calls each, one safe and one with side effects, then a final answer. */
const steps = 3;
const callsPerStep = 2;

interface Outcome {
  readonly result: AgentResult;
  readonly history: TestHistory;
}

/** Runs the task once for each call, with `disturb` in place of that call. */
function taskWith(place: number, tool: string): readonly ScriptedTurn[] {
  const turns = Array.from({ length: steps }, (_, step) => ({
    text: `Step ${step}`,
    toolCalls: Array.from({ length: callsPerStep }, (_, index) => ({
      name: step * callsPerStep + index === place ? tool : index === 0 ? 'look' : 'write',
    })),
  }));
  return [...turns, { text: 'done' }];
}

async function run(
  options: Partial<AgentOptions> & { readonly model: ModelProvider },
  signal?: AbortSignal,
): Promise<Outcome> {
  const history = createTestHistory();
  const agent = new ReActAgent({
    name: 'clerk',
    tools: createOffice().tools,
    policy: { maxRiskUnapproved: 'high' },
    history,
    ...options,
  });
  const result = await agent.run('go', { sessionId: 's', ...(signal === undefined ? {} : { signal }) });
  return { result, history };
}

function assertPaired({ result, history }: Outcome, what: string): void {
  assert.deepEqual(pairingProblems(result.messages), [], what);
  const stored = history.entries.map((turn) => turn.message);
  assert.deepEqual(pairingProblems(stored), [], `${what}, as stored`);
  assert.deepEqual(stored, result.messages, what);
}

async function moveOn(clock: FakeClock, running: Promise<unknown>, ms: number): Promise<void> {
  let isOver = false;
  void running.then(() => (isOver = true));
  while (!isOver) {
    await settle();
    clock.advance(ms);
  }
}

const places = Array.from({ length: steps * callsPerStep }, (_, place) => place);

test('a denial at any point is the result of that call only', async () => {
  const refusing: ApprovalHandler = createTestApprovals(async () => ({ decision: 'denied', reason: 'too dear' }));
  for (const place of places) {
    const outcome = await run({ model: createScriptedModel(taskWith(place, 'pay')), approvalHandler: refusing });
    assertPaired(outcome, `denied at ${place}`);
    assert.equal(outcome.result.status, 'completed');
    assert.match(JSON.stringify(outcome.result.messages), /too dear/);
  }
});

test('a failure, an unknown tool and bad ids at any point are results of those calls only', async () => {
  for (const place of places) {
    for (const tool of ['break', 'nobody_knows_this']) {
      const outcome = await run({ model: createScriptedModel(taskWith(place, tool)) });
      assertPaired(outcome, `${tool} at ${place}`);
      assert.equal(outcome.result.status, 'completed');
    }
  }
});

test('a call that hangs at any point times out and the run continues', async () => {
  for (const place of places) {
    const clock = createFakeClock();
    const running = run({ model: createScriptedModel(taskWith(place, 'hang')), clock });
    await moveOn(clock, running, 60_000);
    const outcome = await running;
    assertPaired(outcome, `timed out at ${place}`);
    assert.equal(outcome.result.status, 'completed');
    assert.equal(outcome.result.trace.filter((record) => record.status === 'timeout').length, 1);
  }
});

test('an abort at any point ends the run, and every call of the step has a result', async () => {
  for (const place of places) {
    const controller = new AbortController();
    const running = run({ model: createScriptedModel(taskWith(place, 'hang')) }, controller.signal);
    await settle();
    controller.abort();
    const outcome = await running;
    assertPaired(outcome, `aborted at ${place}`);
    assert.equal(outcome.result.status, 'cancelled');
  }
});

test('an abort after any number of model events leaves a valid history', async () => {
  for (let cut = 0; cut < 40; cut++) {
    const controller = new AbortController();
    const scripted = createScriptedModel(taskWith(-1, 'look'));
    let seen = 0;
    const model: ModelProvider = {
      id: 'cut',
      async *stream(request, options) {
        for await (const event of scripted.stream(request, options)) {
          if (seen++ === cut) controller.abort();
          yield event;
        }
      },
    };
    assertPaired(await run({ model }, controller.signal), `aborted after ${cut} events`);
  }
});

test('a failover after any number of events of any response gives the same history as no failure', async () => {
  const expected = (await run({ model: createScriptedModel(taskWith(-1, 'look')) })).result.messages;
  for (let cut = 0; cut < 40; cut++) {
    const outcome = await run({ model: createFlakyPair(cut) });
    assertPaired(outcome, `failed over after ${cut} events`);
    assert.equal(outcome.result.status, 'completed');
    assert.deepEqual(withoutIds(outcome.result.messages), withoutIds(expected));
  }
});

/** Two models for the same task; the first fails after `cut` events, and on every later request. */
function createFlakyPair(cut: number): ModelProvider {
  const turns = taskWith(-1, 'look');
  let seen = 0;
  let answers = 0;
  const answer = (id: string, isFlaky: boolean): ModelProvider => ({
    id,
    async *stream(request, options) {
      const turn = turns[request.messages.filter((message) => message.role === 'assistant').length];
      const scripted = createScriptedModel(turn === undefined ? [] : [named(turn, ++answers)]);
      for await (const event of scripted.stream(request, options)) {
        if (isFlaky && seen++ >= cut) {
          yield { type: 'error', error: { code: 'E_MODEL_UNAVAILABLE', message: 'gone', retryable: true } };
          return;
        }
        yield event;
      }
    },
  });
  return createFailover([answer('first', true), answer('second', false)]);
}

function named(turn: ScriptedTurn, answer: number): ScriptedTurn {
  return { ...turn, toolCalls: (turn.toolCalls ?? []).map((call, index) => ({ ...call, id: `${answer}-${index}` })) };
}

function withoutIds(messages: unknown): unknown {
  return JSON.parse(JSON.stringify(messages, (key, value: unknown) => (/^(?:id|toolUseId)$/.test(key) ? '' : value)));
}

test('a budget that is used up at any point ends the run, and every call has a result', async () => {
  for (const maxToolCalls of places) {
    const outcome = await run({ model: createScriptedModel(taskWith(-1, 'look')), budget: { maxToolCalls } });
    assertPaired(outcome, `after ${maxToolCalls} calls`);
    assert.deepEqual([outcome.result.status, outcome.result.reason], ['stopped', 'budget']);
  }
});

test('a store that fails at any turn ends the run with a valid history in memory', async () => {
  for (let append = 1; append <= 2 * steps + 2; append++) {
    const history = createTestHistory();
    history.failAt(append);
    const { result } = await run({ model: createScriptedModel(taskWith(-1, 'look')), history });
    assert.deepEqual([result.status, result.error?.code], ['failed', 'E_STATE_UNAVAILABLE']);
    assert.deepEqual(pairingProblems(result.messages), []);
  }
});

test('open calls left by a crash get results that say so when the conversation continues', async () => {
  const history = createTestHistory();
  history.failAt(3);
  const office = createOffice();
  const shared = { name: 'clerk', tools: office.tools, history, policy: { maxRiskUnapproved: 'high' } } as const;
  const crashing = new ReActAgent({ ...shared, model: createScriptedModel(taskWith(-1, 'look')) });
  await crashing.run('go', { sessionId: 's' });
  const model = createScriptedModel([{ text: 'ok' }]);
  const result = await new ReActAgent({ ...shared, model }).run('continue', { sessionId: 's' });
  assert.equal(result.status, 'completed');
  assert.deepEqual(pairingProblems(result.messages), []);
  assert.match(JSON.stringify(model.requests[0]?.messages), /it is unknown whether it ran/);
});

test('two concurrent runs of one session do not mix: one ends with a conflict', async () => {
  const history = createTestHistory();
  const start = (): Promise<AgentResult> =>
    new ReActAgent({ name: 'clerk', history, model: createScriptedModel([{ text: 'ok' }]) }).run('go', {
      sessionId: 's',
    });
  const results = await Promise.all([start(), start()]);
  assert.deepEqual(results.map((result) => result.error?.code ?? result.status).toSorted(), [
    'E_STATE_CONFLICT',
    'completed',
  ]);
  assert.deepEqual(pairingProblems(history.entries.map((turn) => turn.message)), []);
});
