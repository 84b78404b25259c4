import assert from 'node:assert/strict';
import type { NewRun } from '@ravi/kernel';
import { postgresForTests } from '@ravi/state-testing';
import { afterAll, afterEach, test, vi } from 'vitest';
import { createPostgresStateStore } from '../src/index.ts';

const server = await postgresForTests();
afterAll(() => server[Symbol.asyncDispose]());
afterEach(() => void vi.useRealTimers());
const { url } = server;
const withServer = url === undefined ? test.skip : test;
const hourMs = 3_600_000;
const deadAfterMs = 60_000;

function newRun(id: string): NewRun {
  return { id, principal: 'ada', sessionId: 'session-1', definition: { kind: 'chain' }, createdAt: Date.now() };
}

/** Sets the clock of this process, which all stores in it use, forward or back. */
function stepClock(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
}

for (const [direction, stepMs] of Object.entries({ forward: hourMs, back: -hourMs })) {
  withServer(`a process whose clock is set ${direction} by an hour neither takes nor loses a run`, async () => {
    const schema = `clock_${direction}_${process.pid}`;
    const open = (): ReturnType<typeof createPostgresStateStore> =>
      createPostgresStateStore({ url: url as string, schema });
    await using holding = await open();
    await using other = await open();
    const { heartbeatAt: before } = await holding.processes.register({ id: 'one', deadAfterMs });
    await holding.runs.create(newRun('held'), { owner: 'one' });
    await holding.runs.create(newRun('dead'), { owner: 'two' });
    stepClock(stepMs);

    assert.equal(await other.runs.claim('held', { owner: 'three' }), undefined);
    const writer = { runId: 'held', owner: 'one', epoch: 1 };
    await holding.journal.observed({ runId: 'held', position: 1, kind: 'now', value: 1, writer });
    assert.equal(await holding.processes.beat('one'), 1);
    // Less than an hour later, because the step is not part of it.
    const [beaten] = (await other.processes.list()).items;
    const after = beaten?.heartbeatAt ?? NaN;
    assert.ok(after >= before && after < before + hourMs / 2, `${before} ${after}`);

    // A run of no process is free in spite of the step, and a new owner lasts.
    assert.deepEqual(
      (await other.runs.listFree()).items.map(({ id }) => id),
      ['dead'],
    );
    await other.processes.register({ id: 'three', deadAfterMs });
    assert.equal((await other.runs.claim('dead', { owner: 'three' }))?.epoch, 2);
    stepClock(-stepMs);
    assert.equal(await holding.runs.claim('dead', { owner: 'one' }), undefined);
    assert.equal((await other.runs.get('held'))?.epoch, 1);
  });
}
