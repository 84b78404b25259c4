import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { DurableChainResult } from '@ravi/capabilities';
import { KernelError, silentLogger, systemClock } from '@ravi/kernel';
import type { Approval, CompleteStateStore } from '@ravi/kernel';
import { createFakeClock } from '@ravi/testkit';
import { afterAll, test } from 'vitest';
import { answer, pending } from './decisions.ts';
import { createWorld, sandbox, valueTool } from './harness.ts';
import { startRecovery } from './recover.ts';
import type { TestProcess } from './harness.ts';

afterAll(() => sandbox[Symbol.asyncDispose]());

const approvals = 'pause';

const threeMails = `
  const results = await Promise.allSettled(['a', 'b', 'c'].map((to) => tools.send({ to })));
  return results.map(({ status, reason }) => reason?.message ?? status);
`;

test('a run that only waits for approvals is paused: all requests are stored, and the process keeps nothing of the run', async () => {
  await using world = await createWorld();
  await using process = world.open();
  const result = await process.chains.start({ code: threeMails, runId: 'run-1', approvals });
  assert.equal(result.status, 'paused');
  assert.match(result.outputText, /paused until these calls are approved or denied: send \(approval_run-1_call_/);
  assert.deepEqual(
    (await pending(world)).map(({ request }) => request.args['to']),
    ['a', 'b', 'c'],
  );
  const run = await world.store.runs.get('run-1');
  assert.deepEqual([run?.status, run?.owner], ['paused', undefined]);
  assert.equal(process.chains.active, 0);
});

test('a run is paused only once its requests are stored, however long the store is unavailable', async () => {
  await using world = await createWorld();
  let isAway = true;
  let attempts = 0;
  const slow: CompleteStateStore = {
    ...world.store,
    approvals: {
      ...world.store.approvals,
      async create(...request) {
        attempts++;
        if (isAway) throw new KernelError('E_STATE_UNAVAILABLE', 'The store is away');
        return world.store.approvals.create(...request);
      },
    },
  };
  await using process = world.open({ store: slow });
  const result = process.chains.start({ code: threeMails, runId: 'run-1', approvals });
  while (attempts < 3) await pause(5);
  await pause(100);
  assert.equal((await world.store.runs.get('run-1'))?.status, 'running');
  isAway = false;
  assert.equal((await result).status, 'paused');
  assert.equal((await pending(world)).length, 3);
});

test('decisions may arrive in any order, each after a restart; a denial is caught and the other calls continue', async () => {
  await using world = await createWorld();
  const runs: DurableChainResult[] = [];
  const inAnotherProcess = async (work: (process: TestProcess) => Promise<DurableChainResult>): Promise<void> => {
    await using process = world.open();
    runs.push(await work(process));
  };
  await inAnotherProcess(({ chains }) => chains.start({ code: threeMails, runId: 'run-1', approvals }));
  await answer(world, 'c', { decision: 'denied', reason: 'not to c' });
  await inAnotherProcess(({ chains }) => chains.resume('run-1'));
  assert.deepEqual(world.effects, []);
  assert.equal((await pending(world)).length, 2, 'the questions are the same as before');
  await answer(world, 'b');
  await inAnotherProcess(({ chains }) => chains.resume('run-1'));
  assert.deepEqual(world.effects, ['send {"to":"b"}']);
  await answer(world, 'a', { decision: 'modified', modifiedArgs: { to: 'A' } });
  await inAnotherProcess(({ chains }) => chains.resume('run-1'));
  assert.deepEqual(
    runs.map(({ status }) => status),
    ['paused', 'paused', 'paused', 'ok'],
  );
  assert.deepEqual(runs[3]?.value, ['fulfilled', 'fulfilled', 'The call of send was denied: not to c']);
  assert.deepEqual(world.effects, ['send {"to":"b"}', 'send {"to":"A"}']);
  const { items } = await world.store.approvals.list({ runId: 'run-1' });
  assert.deepEqual(
    items.map(({ status }) => status),
    ['consumed', 'consumed', 'consumed'],
  );
  assert.deepEqual(runs[3]?.callTrace.map(({ approval }) => String(approval?.decision)).toSorted(), [
    'approved',
    'denied',
    'modified',
  ]);
});

test('a run with a decision does not pause again, even if the store is slow to report the decision', async () => {
  await using world = await createWorld();
  await using first = world.open();
  await first.chains.start({ code: "return tools.send({ to: 'a' })", runId: 'run-1', approvals });
  await answer(world, 'a');
  const clock = createFakeClock(Date.now());
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const get = async (id: string): Promise<Approval | undefined> => {
    asked.resolve();
    await held.promise;
    return world.store.approvals.get(id);
  };
  const changes: string[] = [];
  const transition: CompleteStateStore['runs']['transition'] = (id, change) => {
    changes.push(change.to);
    return world.store.runs.transition(id, change);
  };
  const { runs, approvals: kept } = world.store;
  const store = { ...world.store, approvals: { ...kept, get }, runs: { ...runs, transition } };
  await using second = world.open({ clock, store, pauseAfterMs: 1 });
  const resumed = second.chains.resume('run-1');
  await asked.promise;
  for (let turn = 0; turn < 50; turn++) {
    await new Promise(setImmediate);
    clock.advance(2);
  }
  held.resolve();
  assert.equal((await resumed).status, 'ok');
  assert.deepEqual(changes, ['running', 'completed']);
});

test('a paused run whose decision was consumed by a process that is gone resumes with that decision', async () => {
  await using world = await createWorld();
  await using first = world.open();
  await first.chains.start({ code: threeMails, runId: 'run-1', approvals });
  const asked = (await pending(world)).find(({ request }) => request.args['to'] === 'b')?.request;
  assert.ok(asked);
  await answer(world, 'b');
  const consumer = `run-1:${asked.callId}`;
  const consumed = await world.store.approvals.consume(asked.id, asked, { consumer, now: Date.now() });
  assert.equal(consumed.status, 'done');
  await first[Symbol.asyncDispose]();
  await using second = world.open();
  const { chains, feed } = second;
  const options = { chains, store: world.store, feed, clock: systemClock, logger: silentLogger };
  await using _keeper = await startRecovery(options);
  while (world.effects.length === 0) await new Promise(setImmediate);
  assert.deepEqual(world.effects, ['send {"to":"b"}']);
  while ((await world.store.runs.get('run-1'))?.status !== 'paused') await new Promise(setImmediate);
  assert.equal((await pending(world)).length, 2);
});

test('a run does not pause while it consumes a decision', async () => {
  await using world = await createWorld();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: taken, resolve: take } = Promise.withResolvers<void>();
  const consume: CompleteStateStore['approvals']['consume'] = async (...request) => {
    take();
    await held;
    return world.store.approvals.consume(...request);
  };
  const store = { ...world.store, approvals: { ...world.store.approvals, consume } };
  await using process = world.open({ store, pauseAfterMs: 100 });
  const run = process.chains.start({ code: `return tools.send({ to: 'b' })`, runId: 'run-1', approvals });
  while ((await pending(world)).length < 1) await new Promise(setImmediate);
  await answer(world, 'b');
  process.feed.checkNow();
  await taken;
  await pause(300);
  assert.equal((await world.store.runs.get('run-1'))?.status, 'running');
  release();
  assert.equal((await run).status, 'ok');
});

test('a resumed run does not ask again for tools approved for the run, and earlier denials still count', async () => {
  await using world = await createWorld();
  const code = `
    const early = tools.send({ to: 'early' }).catch((error) => error.code);
    const first = await tools.send({ to: 'first' });
    await tools.send({ to: 'covered' });
    return early;
  `;
  await using first = world.open();
  await first.chains.start({ code, runId: 'run-1', approvals });
  await answer(world, 'early', { decision: 'denied' });
  await answer(world, 'first', { scope: 'run' });
  assert.equal((await first.chains.resume('run-1')).value, 'E_APPROVAL_DENIED');
  assert.deepEqual(world.effects, ['send {"to":"first"}', 'send {"to":"covered"}']);
});

test('an approval for the run answers the requests of the same tool that wait at the same time', async () => {
  await using world = await createWorld();
  await using first = world.open();
  await first.chains.start({ code: threeMails, runId: 'run-1', approvals });
  await answer(world, 'b', { scope: 'run' });
  assert.deepEqual(await pending(world), []);
  await using second = world.open();
  assert.equal((await second.chains.resume('run-1')).status, 'ok');
  assert.equal(world.effects.length, 3);
});

for (const [name, changed] of [
  ['a changed tool', { toolDigest: 'sha256:other' }],
  ['another tool', { tool: 'put' }],
  ['another principal', { principal: 'eve' }],
  ['other arguments', { argsDigest: 'hmac-sha256:other' }],
] as const) {
  test(`a decision for ${name} does not count`, async () => {
    await using world = await createWorld();
    await using process = world.open();
    await process.chains.start({ code: "await tools.send({ to: 'a' })", runId: 'run-1', approvals });
    await answer(world, 'a');
    const { approvals: kept } = world.store;
    const get = async (id: string): Promise<Approval | undefined> => {
      const found = await kept.get(id);
      return found && { ...found, request: { ...found.request, ...changed } };
    };
    await using other = world.open({ store: { ...world.store, approvals: { ...kept, get } } });
    const result = await other.chains.resume('run-1');
    assert.equal(result.error?.code, 'E_APPROVAL_DENIED');
    assert.match(result.error?.message ?? '', /already used by another call/);
    assert.deepEqual(world.effects, []);
  });

  test(`a call does not consume a decision that was given for ${name}`, async () => {
    await using world = await createWorld();
    await using process = world.open();
    await process.chains.start({ code: "await tools.send({ to: 'a' })", runId: 'run-1', approvals });
    await answer(world, 'a');
    const { approvals: kept } = world.store;
    const consume: CompleteStateStore['approvals']['consume'] = (id, request, by) =>
      kept.consume(id, { ...request, ...changed }, by);
    await using other = world.open({ store: { ...world.store, approvals: { ...kept, consume } } });
    const result = await other.chains.resume('run-1');
    assert.equal(result.error?.code, 'E_APPROVAL_DENIED');
    assert.match(result.error?.message ?? '', new RegExp(`given for another ${Object.keys(changed)[0]}$`));
    assert.deepEqual(world.effects, []);
  });
}

test('a request that is not decided ends as a denial that the script can catch, also after a restart', async () => {
  await using world = await createWorld();
  const clock = createFakeClock();
  await using process = world.open({ clock, approvalExpiryMs: 60_000 });
  const code = "try { await tools.send({ to: 'a' }); } catch (error) { return [error.name, error.code]; }";
  const started = process.chains.start({ code, runId: 'run-1', approvals });
  while ((await pending(world)).length === 0) await new Promise(setImmediate);
  while ((await world.store.runs.get('run-1'))?.status !== 'paused') {
    clock.advance(1);
    await new Promise(setImmediate);
  }
  assert.equal((await started).status, 'paused');
  const later = createFakeClock(clock.now() + 60_001);
  assert.equal((await world.store.approvals.expire(later.now())).items.length, 1);
  await using second = world.open({ clock: later });
  assert.deepEqual((await second.chains.resume('run-1')).value, ['ToolDeniedError', 'E_APPROVAL_EXPIRED']);
});

test('in the mode "wait" a late decision is a denial, and the request does not stay open', async () => {
  await using world = await createWorld();
  const clock = createFakeClock();
  await using process = world.open({ clock });
  const code = "return tools.send({ to: 'a' }).catch((error) => error.code)";
  const run = process.chains.start({ code, runId: 'run-1' });
  while ((await pending(world)).length === 0) await new Promise(setImmediate);
  clock.advance(process.invoker.policy.approvalTimeoutMs + 1);
  assert.equal((await run).value, 'E_APPROVAL_EXPIRED');
  assert.deepEqual(
    (await world.store.approvals.list({ runId: 'run-1' })).items.map(({ status }) => status),
    ['consumed'],
  );
});

test('a request that is open when the script ends is withdrawn', async () => {
  await using world = await createWorld();
  await using process = world.open();
  const result = await process.chains.start({
    code: "void tools.send({ to: 'a' }); await sleep(20); return 1",
    runId: 'run-1',
  });
  assert.equal(result.value, 1);
  const { items } = await world.store.approvals.list({ runId: 'run-1' });
  assert.deepEqual(
    items.map(({ status }) => status),
    ['withdrawn'],
  );
});

test('a cancellation that arrives while the pause is being stored ends the run', async () => {
  await using world = await createWorld();
  const storing = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const transition: CompleteStateStore['runs']['transition'] = async (id, change) => {
    if (change.to === 'paused') {
      storing.resolve();
      await held.promise;
    }
    return world.store.runs.transition(id, change);
  };
  await using process = world.open({ store: { ...world.store, runs: { ...world.store.runs, transition } } });
  const result = process.chains.start({ code: "return tools.send({ to: 'a' })", runId: 'run-1', approvals });
  await storing.promise;
  assert.equal(process.chains.cancel('run-1'), true);
  held.resolve();
  const { status, error } = await result;
  assert.deepEqual([status, error?.code], ['cancelled', 'E_CANCELLED']);
  const run = await world.store.runs.get('run-1');
  assert.deepEqual([run?.status, run?.outcome?.error?.code], ['cancelled', 'E_CANCELLED']);
  assert.deepEqual(await pending(world), []);
  const last = (await world.store.events.list('run-1')).items.at(-1);
  assert.deepEqual([last?.type, last?.data['status']], ['run-end', 'cancelled']);
});

test('a cancellation that arrives while the process shuts down ends the run', async () => {
  await using world = await createWorld();
  const begun = Promise.withResolvers<void>();
  const wait = valueTool('wait', () => new Promise(() => begun.resolve()));
  await using process = world.open({ tools: [wait] });
  const result = process.chains.start({ code: 'return tools.wait({})', runId: 'run-1' });
  await begun.promise;
  assert.equal(process.chains.cancel('run-1'), true);
  await process[Symbol.asyncDispose]();
  assert.equal((await result).status, 'cancelled');
  assert.equal((await world.store.runs.get('run-1'))?.status, 'cancelled');
});

test('a run whose earlier request expired stays paused for the next one', async () => {
  await using world = await createWorld();
  await using process = world.open({ approvalExpiryMs: 1_000 });
  const code = `
    const first = tools.send({ to: 'a' }).catch(({ code }) => code);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return [await first, await tools.send({ to: 'b' })];
  `;
  const { status } = await process.chains.start({ code, runId: 'run-1', approvals });
  assert.equal(status, 'paused');
  assert.equal((await world.store.runs.get('run-1'))?.epoch, 1);
  const { items } = await world.store.approvals.list({ runId: 'run-1' });
  const reached = items.map(({ request: { args }, status: state }) => [args['to'], state]);
  assert.deepEqual(reached, [
    ['b', 'pending'],
    ['a', 'consumed'],
  ]);
});

test('a run stays paused for the second request of a call whose first was approved with other arguments', async () => {
  await using world = await createWorld();
  const ship = valueTool('ship', () => null, {
    risk: 'high',
    classifyRisk: ({ to }) => ({ risk: to === 'mars' ? 'critical' : 'high' }),
  });
  await using process = world.open({ tools: [ship] });
  const { chains } = process;
  await chains.start({ code: "return tools.ship({ to: 'a' })", runId: 'run-1', approvals });
  await answer(world, 'a', { decision: 'modified', modifiedArgs: { to: 'mars' } });
  const { status } = await chains.resume('run-1');
  assert.equal(status, 'paused');
  assert.equal((await world.store.runs.get('run-1'))?.epoch, 2);
  await answer(world, 'mars');
  assert.equal((await chains.resume('run-1')).status, 'ok');
});
