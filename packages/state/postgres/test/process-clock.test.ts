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
const leaseMs = 60_000;

function newRun(id: string): NewRun {
  return { id, principal: 'ada', sessionId: 'session-1', definition: { kind: 'chain' }, createdAt: Date.now() };
}

/** Sets the clock of this process, which all stores in it use, forward or back. */
function stepClock(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
}

for (const [direction, stepMs] of Object.entries({ forward: hourMs, back: -hourMs })) {
  withServer(`a process whose clock is set ${direction} by an hour neither takes nor loses a lease`, async () => {
    const schema = `clock_${direction}_${process.pid}`;
    const open = (): ReturnType<typeof createPostgresStateStore> =>
      createPostgresStateStore({ url: url as string, schema });
    await using holding = await open();
    await using other = await open();
    const held = await holding.runs.create(newRun('held'), { owner: 'one', leaseMs });
    await holding.runs.create(newRun('dead'), { owner: 'two', leaseMs });
    stepClock(stepMs);

    assert.deepEqual((await other.runs.listExpired()).items, []);
    assert.equal(await other.runs.claim('held', { owner: 'three', leaseMs }), undefined);
    const writer = { runId: 'held', owner: 'one', epoch: 1 };
    await holding.journal.observed({ runId: 'held', position: 1, kind: 'now', value: 1, writer });
    assert.equal(await holding.runs.renew('held', { owner: 'one', leaseMs, epoch: 1 }), true);
    // The new end is less than an hour from the old one, because the step is not part of it.
    const before = held.lease?.expiresAt ?? NaN;
    const after = (await holding.runs.get('held'))?.lease?.expiresAt ?? NaN;
    assert.ok(after >= before && after < before + hourMs / 2, `${before} ${after}`);
    assert.deepEqual((await other.runs.listExpired()).items, []);

    // A lease that has ended is free in spite of the step, and the new one lasts.
    await other.runs.expireLeases('two');
    const expired = (await other.runs.listExpired()).items.map(({ id }) => id);
    assert.deepEqual(expired, ['dead']);
    assert.equal((await other.runs.claim('dead', { owner: 'three', leaseMs }))?.epoch, 2);
    stepClock(-stepMs);
    assert.equal(await holding.runs.claim('dead', { owner: 'one', leaseMs }), undefined);
    assert.equal((await other.runs.get('held'))?.epoch, 1);
  });
}
