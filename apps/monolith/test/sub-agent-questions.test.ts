import assert from 'node:assert/strict';
import { test } from 'vitest';
import { answer, approve, pendingOf, send, start, until, untilStatus } from './support/run-requests.ts';
import type { Body } from './support/run-requests.ts';
import { startBundled } from './support/server-process.ts';
import { storeCases } from './support/state-stores.ts';
import { delegate, installSubAgents, task } from './support/sub-agents.ts';
import type { Call } from './support/sub-agents.ts';

const ask = (question: string): Call => ['ask_user', { question }];
const launch = (target: string): Call => ['launch', { target }];
const timeout = 90_000;

const byText = (left: unknown, right: unknown): number => String(left).localeCompare(String(right));

for (const store of storeCases) {
  for (const ending of ['SIGKILL', 'SIGTERM'] as const) {
    store.test(
      `the question of a sub-agent survives ${ending}, and the answer reaches the sub-agent (${store.name})`,
      { timeout },
      async () => {
        await using installation = await installSubAgents({ plugins: store.plugin() });
        using first = startBundled(installation.folder);
        const url = await first.url();
        const work = delegate('helper', [launch('moon')], [ask('Which way?')], [launch('sun')]);
        const runId = await start(url, task([work, launch('mars')]));
        const paused = await until(url, runId, 'run-paused');
        const run = await untilStatus(url, runId, 'paused');
        const [child] = run.children;
        const question = { tool: 'ask_user', question: 'Which way?', agent: 'helper', runId: child.id };
        assert.deepEqual(run.questions, [{ ...question, callId: 'call_0_0.call_1_0' }]);
        assert.deepEqual([paused.reason, paused.questions], ['question', run.questions]);
        assert.deepEqual([child.status, run.owner], ['paused', undefined]);
        const below = await send(url, `/v1/runs/${child.id}`);
        assert.deepEqual(
          below.questions.map(({ callId, question: text }: Body) => [callId, text]),
          [['call_1_0', 'Which way?']],
        );
        first.signal(ending);
        await first.exit;

        using second = startBundled(installation.folder);
        const next = await second.url();
        assert.equal((await send(next, `/v1/runs/${runId}`)).status, 'paused');
        await answer(next, runId, { 'call_0_0.call_1_0': 'Left' });
        const ended = await until(next, runId, 'run-end');
        assert.deepEqual([ended.status, ended.text], ['completed', 'launched | Left | launched | launched']);
        assert.deepEqual((await installation.launches()).toSorted(byText), [
          'launch mars',
          'launch moon',
          'launch sun',
        ]);
        const { children, questions } = await send(next, `/v1/runs/${runId}`);
        assert.deepEqual([children.length, children[0].status, questions.length], [1, 'completed', 0]);
        const again = await send(next, `/v1/runs/${runId}/resume`, { answer: { 'call_0_0.call_1_0': 'Right' } });
        assert.equal(again.error?.code, 'E_STATE_CONFLICT');
      },
    );
  }

  store.test(
    `a server that is killed after an answer continues the sub-agent with that answer (${store.name})`,
    { timeout },
    async () => {
      await using installation = await installSubAgents({ plugins: store.plugin() });
      using first = startBundled(installation.folder);
      const url = await first.url();
      const helper = delegate('helper', [ask('Which way?')], [['crash', {}]]);
      const runId = await start(url, task([delegate('boss', [helper])]));
      const { questions } = await untilStatus(url, runId, 'paused');
      assert.deepEqual(
        questions.map(({ callId, agent }: Body) => [callId, agent]),
        [['call_0_0.call_0_0.call_0_0', 'helper']],
      );
      await answer(url, runId, 'Left');
      await first.exit;

      using second = startBundled(installation.folder);
      const ended = await until(await second.url(), runId, 'run-end');
      assert.equal(ended.status, 'completed', JSON.stringify(ended));
      assert.match(ended.text, /^Left \| .*crash was running/);
      assert.deepEqual(await installation.launches(), ['crash']);
    },
  );
}

test(
  'two sub-agents of one step ask at once, each receives its answer, and the run asks too',
  { timeout },
  async () => {
    await using installation = await installSubAgents();
    using server = startBundled(installation.folder);
    const url = await server.url();
    const work = (name: string): Call => delegate('helper', [ask(`${name}?`)], [launch(name)], [ask(`More ${name}?`)]);
    const runId = await start(url, task([work('east'), work('west'), ask('Why?')]));
    const first = await untilStatus(url, runId, 'paused');
    assert.deepEqual(
      first.questions.map(({ callId, question, agent }: Body) => [callId, question, agent]).toSorted(byText),
      [
        ['call_0_0.call_0_0', 'east?', 'helper'],
        ['call_0_1.call_0_0', 'west?', 'helper'],
        ['call_0_2', 'Why?', undefined],
      ],
    );
    const missing = await send(url, `/v1/runs/${runId}/resume`, { answer: { 'call_0_1.call_0_0': 'W' } });
    assert.equal(missing.error?.code, 'E_ARGUMENTS_INVALID');
    await answer(url, runId, { 'call_0_0.call_0_0': 'E', 'call_0_1.call_0_0': 'W', call_0_2: 'Because' });
    // The other answers do not count for the next questions.
    const second = await untilQuestion(url, runId, 'call_0_0.call_2_0');
    assert.deepEqual(second.questions.length, 2);
    await answer(url, runId, { 'call_0_0.call_2_0': 'E2', 'call_0_1.call_2_0': 'W2' });
    const ended = await until(url, runId, 'run-end');
    assert.deepEqual([ended.status, ended.text], ['completed', 'E | launched | E2 | W | launched | W2 | Because']);
    assert.deepEqual((await installation.launches()).toSorted(byText), ['launch east', 'launch west']);
  },
);

test('a sub-agent asks while the call of another one waits for approval', { timeout }, async () => {
  await using installation = await installSubAgents();
  using server = startBundled(installation.folder);
  const url = await server.url();
  const asking = delegate('helper', [ask('Which way?')]);
  const runId = await start(url, task([asking, delegate('helper', [['detonate', { target: 'mine' }]])]));
  const [asked] = await pendingOf(url, runId, 1);
  await untilStatus(url, runId, 'paused');
  await approve(url, asked);
  await untilQuestion(url, runId, 'call_0_0.call_0_0');
  await answer(url, runId, 'Left');
  const ended = await until(url, runId, 'run-end');
  assert.deepEqual([ended.status, ended.text], ['completed', 'Left | launched']);
  assert.deepEqual(await installation.launches(), ['detonate mine']);
});

test('a sub-agent that works as a job asks, and the answer reaches it', { timeout }, async () => {
  await using installation = await installSubAgents();
  using first = startBundled(installation.folder);
  const url = await first.url();
  const runId = await start(url, task([delegate('courier', [ask('Which way?')], [launch('moon')])], [launch('mars')]));
  const { questions } = await untilQuestion(url, runId, 'call_0_0.call_0_0');
  assert.equal(questions[0].agent, 'courier');
  const jobs = async (from: string): Promise<readonly string[]> =>
    (await send(from, `/v1/jobs?runId=${runId}`)).items.map(({ status }: Body) => status);
  assert.deepEqual(await jobs(url), ['running']);
  first.signal('SIGKILL');
  await first.exit;

  using second = startBundled(installation.folder);
  const next = await second.url();
  await answer(next, runId, 'Left');
  const ended = await until(next, runId, 'run-end');
  assert.equal(ended.status, 'completed', JSON.stringify(ended));
  assert.deepEqual(
    [await jobs(next), (await installation.launches()).toSorted(byText)],
    [['completed'], ['launch mars', 'launch moon']],
  );
  const { sessionId } = await send(next, `/v1/runs/${runId}`);
  const { items } = await send(next, `/v1/sessions/${sessionId}/history`);
  assert.match(JSON.stringify(items), /The job job_[\w-]+ of courier .* is completed:\\nLeft \| launched/);
});

test('the question of a sub-agent is answered at its own run, and withdrawn with its caller', { timeout }, async () => {
  await using installation = await installSubAgents();
  using server = startBundled(installation.folder);
  const url = await server.url();
  const begin = async (): Promise<Body> => {
    const runId = await start(url, task([delegate('helper', [ask('Which way?')])]));
    return untilStatus(url, runId, 'paused');
  };
  const one = await begin();
  await answer(url, one.children[0].id, { call_0_0: 'Left' });
  assert.equal((await until(url, one.id, 'run-end')).text, 'Left');
  const other = await begin();
  await send(url, `/v1/runs/${other.id}/cancel`, {});
  const { status, children } = await send(url, `/v1/runs/${other.id}`);
  assert.deepEqual([status, children[0].status], ['cancelled', 'cancelled']);
  const late = await send(url, `/v1/runs/${other.id}/resume`, { answer: 'Left' });
  assert.equal(late.error?.code, 'E_STATE_CONFLICT');
});

test('an answer to one sub-agent is not given to another one that asks', { timeout }, async () => {
  await using installation = await installSubAgents();
  using server = startBundled(installation.folder);
  const url = await server.url();
  const asking = delegate('helper', [ask('Delete everything?')]);
  const runId = await start(url, task([delegate('helper', [launch('moon')]), asking]));
  const { children } = await untilQuestion(url, runId, 'call_0_1.call_0_0');
  const idOf = (callId: string): string => children.find((child: Body) => child.callId === callId).id;
  const refused = await send(url, `/v1/runs/${idOf('call_0_0')}/resume`, { answer: 'Yes' });
  assert.equal(refused.error?.code, 'E_STATE_CONFLICT');
  assert.equal((await send(url, `/v1/runs/${runId}`)).status, 'paused');
  await answer(url, idOf('call_0_1'), 'No');
  assert.equal((await until(url, runId, 'run-end')).text, 'launched | No');
});

test(
  'a text answers the only question of a sub-agent at its own run, but not one of several',
  { timeout },
  async () => {
    await using installation = await installSubAgents();
    using server = startBundled(installation.folder);
    const url = await server.url();
    const begin = async (...calls: readonly Call[]): Promise<Body> => {
      const runId = await start(url, task([delegate('boss', [delegate('helper', [...calls])])]));
      return untilStatus(url, runId, 'paused');
    };
    const one = await begin(ask('Which way?'));
    await answer(url, one.questions[0].runId, 'Left');
    assert.equal((await until(url, one.id, 'run-end')).text, 'Left');
    const late = await send(url, `/v1/runs/${one.questions[0].runId}/resume`, { answer: 'Right' });
    assert.equal(late.error?.code, 'E_STATE_CONFLICT');
    const two = await begin(ask('Which way?'), ask('How far?'));
    const refused = await send(url, `/v1/runs/${two.questions[0].runId}/resume`, { answer: 'Left' });
    assert.deepEqual(
      [refused.error?.code, /call_0_0, call_0_1/.test(refused.error?.message)],
      ['E_ARGUMENTS_INVALID', true],
    );
  },
);

async function untilQuestion(url: string, runId: string, callId: string): Promise<Body> {
  for (;;) {
    const run = await untilStatus(url, runId, 'paused');
    if (run.questions.some((question: Body) => question.callId === callId)) return run;
  }
}
