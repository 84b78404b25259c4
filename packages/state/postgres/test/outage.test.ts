import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { JournalEntry, CompleteStateStore, JournalItem } from '@ravi/kernel';
import { stoppablePostgresForTests } from '@ravi/state-testing';
import { afterAll, test } from 'vitest';
import { createPostgresStateStore } from '../src/index.ts';

// A separate server, because the test stops it.
const server = await stoppablePostgresForTests();
afterAll(async () => {
  if (typeof server !== 'string') await server[Symbol.asyncDispose]();
});

function entryAt(position: number): JournalEntry {
  const callId = `call-${position}`;
  const call = { callId, tool: 'mail', caller: 'chain', argsDigest: 'x', argsPreview: '{}' } as const;
  const record = { ...call, status: 'started', startedAt: 1, durationMs: 0 } as const;
  return { runId: 'run-1', sessionId: 'session-1', idempotencyKey: callId, position, record };
}

/** Starts calls one after the other until one fails. Returns how many were recorded and the error. */
async function callUntilRefused({
  journal,
}: CompleteStateStore): Promise<{ readonly kept: number; readonly error: unknown }> {
  for (let kept = 0; ; kept++) {
    try {
      await journal.started(entryAt(kept));
    } catch (error) {
      return { kept, error };
    }
  }
}

if (typeof server === 'string') {
  test.skip(`an outage (skipped: ${server})`);
} else {
  test('an outage during calls loses no recorded call, and the store reconnects afterwards', async () => {
    await using store = await createPostgresStateStore({ url: server.url });
    const calling = callUntilRefused(store);
    await store.journal.entries('run-1');
    await server.stop();
    const { kept, error } = await calling;
    assert.ok(isKernelError(error, 'E_STATE_UNAVAILABLE') && error.retryable, String(error));
    for (const refused of [
      store.runs.get('run-1'),
      store.approvals.lastSequence(),
      store.journal.started(entryAt(kept)),
    ]) {
      await assert.rejects(refused, (reason) => isKernelError(reason, 'E_STATE_UNAVAILABLE') && reason.retryable);
    }
    await server.start();
    const { items, corrupt } = await store.journal.entries('run-1');
    assert.deepEqual(corrupt, []);
    assert.ok(items.length === kept || items.length === kept + 1, `${items.length} entries for ${kept} calls`);
    await store.journal.started(entryAt(items.length));
  });

  test('a crash of the server loses no outcome that a replay needs, and no event that readers have received', async () => {
    const crashed = { ...entryAt(0), runId: 'run-2' };
    const holder = { owner: 'one' };
    {
      await using store = await createPostgresStateStore({ url: server.url });
      const definition = { kind: 'chain' };
      const run = { id: 'run-2', principal: 'ada', sessionId: 'session-1', definition, createdAt: 1 };
      await store.runs.create(run, holder);
      await store.journal.started(crashed);
      await store.journal.finished(crashed, { status: 'ok', text: '', files: [] });
      await store.journal.observed({ runId: 'run-2', position: 1, kind: 'sleep', value: 1 });
      await store.events.append('run-2', { owner: 'one', epoch: 1 }, [{ n: 1, at: 1, type: 'run-start', data: {} }]);
      await server.crash();
    }
    await server.start();
    await using store = await createPostgresStateStore({ url: server.url });
    const { items } = await store.journal.entries('run-2');
    const stateOf = (item: JournalItem): string => (item.type === 'call' ? item.status : item.event.kind);
    assert.deepEqual(items.map(stateOf), ['finished', 'sleep']);
    assert.equal((await store.events.list('run-2')).items.length, 1);
  });
}
