import assert from 'node:assert/strict';
import { isKernelError, KernelError, systemClock } from '@ravi/kernel';
import type { RecordedDecision, CompleteStateStore } from '@ravi/kernel';
import { afterAll, test } from 'vitest';
import { createWorld, forgetProcesses, sandbox, valueTool } from './harness.ts';
import type { World } from './harness.ts';

afterAll(() => sandbox[Symbol.asyncDispose]());

const unasked = { maxRiskUnapproved: 'high' } as const;

/** Returns a store that fails while `isDown`, before or after it has executed the operation. */
function failing({ store }: World, isDown: () => 'before' | 'after' | undefined): CompleteStateStore {
  const guard = <Port extends object>(port: Port): Port => {
    const wrapped: Record<string, unknown> = {};
    for (const [name, method] of Object.entries(port)) {
      wrapped[name] = async (...args: unknown[]) => {
        const how = isDown();
        if (how === 'before') throw new KernelError('E_STATE_UNAVAILABLE', 'The disk is full', { retryable: true });
        const result: unknown = await (method as (...values: unknown[]) => Promise<unknown>)(...args);
        if (how === 'after') throw new KernelError('E_STATE_UNAVAILABLE', 'The connection broke', { retryable: true });
        return result;
      };
    }
    return wrapped as Port;
  };
  return { ...store, runs: guard(store.runs), journal: guard(store.journal), approvals: guard(store.approvals) };
}

const code = `
  await tools.send({ to: 'a' });
  const rows = await Promise.all([tools.put({ key: 1 }), tools.send({ to: 'b' }), tools.count({})]);
  return rows.length;
`;

test('a run waits for a store that is unavailable or full: nothing is lost and nothing is done twice', async () => {
  for (const how of ['before', 'after'] as const) {
    await using world = await createWorld();
    let operations = 0;
    const store = failing(world, () => (++operations > 4 && operations % 3 !== 0 ? how : undefined));
    await using process = world.open({ store, policy: unasked });
    const result = await process.chains.start({ code, runId: 'run-1' });
    assert.deepEqual([result.status, result.value], ['ok', 3], result.outputText);
    assert.deepEqual(world.effects.toSorted(), ['count {}', 'put {"key":1}', 'send {"to":"a"}', 'send {"to":"b"}']);
    assert.equal((await world.store.runs.get('run-1'))?.status, 'completed');
  }
});

test('a run also waits for a store that is unavailable while an approval is open', async () => {
  await using world = await createWorld();
  let operations = 0;
  const store = failing(world, () => (++operations > 4 && operations % 2 === 0 ? 'after' : undefined));
  const approvalHandler = { request: async () => ({ decision: 'approved' as const }) };
  await using process = world.open({ store, approvalHandler });
  const result = await process.chains.start({ code, runId: 'run-1' });
  assert.deepEqual([result.status, result.value], ['ok', 3], result.outputText);
  const { items } = await world.store.approvals.list({ runId: 'run-1' });
  assert.deepEqual(
    items.map(({ status }) => status),
    ['consumed', 'consumed', 'consumed'],
  );
});

test('a process that ends while its store is unavailable leaves a run that can be resumed later', async () => {
  await using world = await createWorld();
  let isDown = false;
  const gone = Promise.withResolvers<void>();
  const store = failing(world, () => {
    if (isDown) gone.resolve();
    return isDown ? 'before' : undefined;
  });
  const first = world.open({ store, policy: unasked, tools: [valueTool('fall', () => void (isDown = true))] });
  const cut = first.chains.start({ code: `await tools.fall({}); ${code}`, runId: 'run-1' });
  cut.catch(() => {});
  await gone.promise;
  await first[Symbol.asyncDispose]();
  await assert.rejects(cut);
  assert.deepEqual(world.effects, []);
  await forgetProcesses(world);
  await using second = world.open({
    policy: unasked,
    tools: [valueTool('fall', () => null)],
  });
  assert.equal((await second.chains.resume('run-1')).value, 3);
});

test('a damaged journal ends the run with the name of the row, and nothing is executed', async () => {
  await using world = await createWorld();
  await using first = world.open({ tools: [] });
  await first.chains.start({ code: "await tools.send({ to: 'a' })", runId: 'run-1', approvals: 'pause' });
  const corrupt = [
    new KernelError('E_STATE_CORRUPT', 'The row "run-1 position 1" of the table ravi_journal is damaged'),
  ];
  const journal = { ...world.store.journal, entries: async () => ({ items: [], corrupt }) };
  await using second = world.open({ policy: unasked, store: { ...world.store, journal } });
  const result = await second.chains.resume('run-1');
  assert.equal(result.error?.code, 'E_STATE_CORRUPT');
  assert.match(result.error?.message ?? '', /run-1 position 1/);
  assert.deepEqual(world.effects, []);
});

test('a result that the store cannot keep ends the run for good', async () => {
  await using world = await createWorld();
  const finished: CompleteStateStore['journal']['finished'] = async () => {
    throw new KernelError('E_STATE_INVALID', 'The call is larger than 16 MiB');
  };
  await using process = world.open({ store: { ...world.store, journal: { ...world.store.journal, finished } } });
  const result = await process.chains.start({ code: 'await tools.count({})', runId: 'run-1' });
  assert.equal(result.error?.code, 'E_STATE_INVALID');
  assert.equal((await world.store.runs.get('run-1'))?.status, 'failed');
});

test('runs of another kind are passed to resumeOther', async () => {
  await using world = await createWorld();
  const now = Date.now();
  const other = {
    id: 'agent-1',
    principal: 'local',
    sessionId: 'session',
    createdAt: now,
    definition: { kind: 'agent' },
  };
  await world.store.runs.create(other, { owner: 'dead' });
  await using process = world.open();
  await assert.rejects(process.chains.resume('agent-1'), (error) => isKernelError(error, 'E_RUN_NOT_FOUND'));
  assert.equal((await world.store.runs.get('agent-1'))?.status, 'running');
});

test('a clock that jumps may stop the time of a script, but never moves it back', async () => {
  await using world = await createWorld();
  let jumpMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + jumpMs };
  const jump = valueTool('jump', ({ ms }: { readonly ms: number }) => void (jumpMs = ms));
  await using process = world.open({ clock, tools: [jump] });
  const result = await process.chains.start({
    code: `
      const times = [Date.now()];
      for (const ms of [-3_600_000, 3_600_000]) {
        await tools.jump({ ms });
        times.push(Date.now());
        await sleep(2);
        times.push(Date.now());
      }
      return times;
    `,
  });
  const times = result.value as readonly number[];
  assert.deepEqual(
    times,
    times.toSorted((left, right) => left - right),
  );
});

test('two processes that resume ten decided runs at once resume each run once', async () => {
  await using world = await createWorld();
  await using first = world.open();
  const ids = Array.from({ length: 10 }, (_, index) => `run-${index}`);
  for (const runId of ids) {
    await first.chains.start({ code: `return tools.send({ to: '${runId}' })`, runId, approvals: 'pause' });
  }
  const answer: RecordedDecision = { decision: 'approved', decidedAt: Date.now() };
  const { items } = await world.store.approvals.list({ status: 'pending' });
  await Promise.all(items.map(({ request }) => world.store.approvals.decide(request.id, answer)));
  await using second = world.open();
  const outcomes = await Promise.allSettled(
    ids.flatMap((runId) => [first.chains.resume(runId), second.chains.resume(runId)]),
  );
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      assert.ok(isKernelError(outcome.reason, 'E_STATE_CONFLICT'), String(outcome.reason));
    else assert.equal(outcome.value.status, 'ok');
  }
  assert.deepEqual(
    world.effects.toSorted(),
    ids.map((id) => `send {"to":"${id}"}`),
  );
  const approvals = await world.store.approvals.list({});
  assert.ok(approvals.items.every(({ status }) => status === 'consumed'));
});
