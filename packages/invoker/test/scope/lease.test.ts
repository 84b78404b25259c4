import assert from 'node:assert/strict';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { ApprovalRequestOptions, RunWriter } from '@ravi/kernel';
import { createTestJournal, settle } from '@ravi/testkit';
import { test } from 'vitest';
import type { InvokerSession, SessionLease } from '../../src/index.ts';
import { createHarness } from '../support/harness.ts';
import { heldTool, recordingTool, textResult } from '../support/tools.ts';

const policy = { maxRiskUnapproved: 'high' } as const;
const writer: RunWriter = { runId: 'run', owner: 'process', epoch: 2 };

/** A lease whose state the test sets. */
class TestLease implements SessionLease {
  readonly writer: RunWriter = writer;
  isCertain = true;
  isLost = false;
  confirmations = 0;
  /** Answers of the store; `false` loses the lease. */
  answer: () => boolean = () => true;

  async confirm(): Promise<boolean> {
    this.confirmations++;
    const isHeld = this.answer();
    this.isLost = !isHeld;
    this.isCertain = isHeld;
    return isHeld;
  }
}

/** A session with a lease and a call of `send` in flight, which another call of `wait` accompanies. */
async function inCall() {
  const journal = createTestJournal();
  const send = heldTool('send', { risk: 'high' });
  const wait = heldTool('wait', { risk: 'high' });
  const harness = createHarness([send, wait], { journal, policy });
  const lease = new TestLease();
  harness.session.holdLease(lease);
  const sending = harness.call('send', {}, { callId: 'c1' });
  const waiting = harness.call('wait', {}, { callId: 'c2' });
  sending.catch(() => {});
  waiting.catch(() => {});
  await settle();
  return { ...harness, journal, lease, send, wait, sending, waiting };
}

test('journal entries and requests for approval name the process that executes the run, also inside a script', async () => {
  const journal = createTestJournal();
  const asked: ApprovalRequestOptions[] = [];
  const approvalHandler = {
    async request(_: unknown, options: ApprovalRequestOptions) {
      asked.push(options);
      return { decision: 'approved' } as const;
    },
  };
  const { invoker, session } = createHarness([recordingTool('send', { risk: 'high' })], { journal, approvalHandler });
  session.holdLease(new TestLease());
  const inner = invoker.openSession({ parent: session, parentCallId: 'c1' });
  for (const each of [session, inner]) await invoker.invoke({ name: 'send', args: {} }, { session: each });
  assert.deepEqual(
    journal.writes.map(({ entry }) => entry.writer),
    [writer, writer, writer, writer],
  );
  assert.deepEqual(
    asked.map((options) => options.writer),
    [writer, writer],
  );
});

test('while the lease is certain, the store is not asked', async () => {
  const { lease, send, sending } = await inCall();
  send.finish(0, textResult('sent'));
  assert.equal((await sending).text, 'sent');
  assert.equal(lease.confirmations, 0);
});

test('a result that arrives late is used if this process still holds the lease', async () => {
  const { lease, send, sending, journal } = await inCall();
  lease.isCertain = false;
  send.finish(0, textResult('sent'));
  assert.equal((await sending).text, 'sent');
  assert.equal(lease.confirmations, 1);
  assert.deepEqual(
    journal.writes.map(({ kind }) => kind),
    ['started', 'started', 'finished'],
  );
});

test('a result that arrives after the lease was lost is not used, and the signals of all calls abort', async () => {
  const { lease, send, wait, sending, waiting, journal, session, recorded } = await inCall();
  lease.isCertain = false;
  lease.answer = () => false;
  send.finish(0, textResult('sent'));
  for (const call of [sending, waiting]) await assert.rejects(call, isSuspension);
  assert.equal(wait.contexts[0]?.signal.aborted, true);
  assert.equal(session.signal.aborted, true);
  assert.deepEqual(
    journal.writes.map(({ kind }) => kind),
    ['started', 'started'],
  );
  const results = recorded.of('tool-result');
  assert.deepEqual(
    results.map(({ status }) => status),
    ['cancelled', 'cancelled'],
  );
});

test('a time-out that fires late does not end a call of a run that another process has', async () => {
  const { lease, sending, clock, journal } = await inCall();
  lease.isCertain = false;
  lease.answer = () => false;
  clock.advance(3_600_000);
  await assert.rejects(sending, isSuspension);
  assert.equal(journal.writes.length, 2);
});

test('a late result waits while the store is unavailable', async () => {
  const { lease, send, sending, clock } = await inCall();
  lease.isCertain = false;
  let failures = 3;
  lease.answer = () => {
    if (failures-- > 0) throw new KernelError('E_STATE_UNAVAILABLE', 'The store is gone');
    return true;
  };
  send.finish(0, textResult('sent'));
  for (let attempt = 0; attempt < 3; attempt++) {
    await settle();
    clock.advance(1_000);
  }
  assert.equal((await sending).text, 'sent');
  assert.equal(lease.confirmations, 4);
});

test('a run that is cancelled while the lease is confirmed ends its calls as cancelled', async () => {
  const { lease, send, sending, session, clock } = await inCall();
  lease.isCertain = false;
  lease.answer = () => {
    throw new KernelError('E_STATE_UNAVAILABLE', 'The store is gone');
  };
  send.finish(0, textResult('sent'));
  await settle();
  cancel(session);
  clock.advance(1_000);
  await assert.rejects(sending, (error) => isKernelError(error, 'E_CANCELLED') && /user left/.test(error.message));
});

function cancel(session: InvokerSession): void {
  session.cancel('The user left');
}

function isSuspension(error: unknown): boolean {
  return isKernelError(error, 'E_CANCELLED') && isKernelError(error.cause, 'E_RUN_SUSPENDED');
}
