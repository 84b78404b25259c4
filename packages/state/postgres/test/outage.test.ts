import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { JournalEntry, CompleteStateStore } from '@ravi/kernel';
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
}
