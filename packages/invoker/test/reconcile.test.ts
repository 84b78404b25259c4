import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { ChainCallRecord, ReconcileAnswer, ReconcileContext } from '@ravi/kernel';
import { approveAll, createTestJournal, journalItems, neverAnswers, settle } from '@ravi/testkit';
import type { TestJournal } from '@ravi/testkit';
import { test } from 'vitest';
import type { InterruptedCall } from '../src/index.ts';
import { createHarness } from './support/harness.ts';
import type { Harness, HarnessOptions } from './support/harness.ts';
import { heldTool, recordingTool, valueResult } from './support/tools.ts';
import type { RecordingTool, ToolOverrides } from './support/tools.ts';

const args = { to: 'ada', cents: 5 };

/** The journal entry of a call of `pay` with {@link args} whose process ended while it ran, approved. */
async function interruptedCall(options: HarnessOptions = {}, overrides: ToolOverrides = {}): Promise<InterruptedCall> {
  const journal = createTestJournal();
  const tool = heldTool('pay', { risk: 'high', ...overrides });
  const harness = createHarness([tool], { approvalHandler: approveAll(), ...options, journal });
  void harness.call('pay', args, { callId: 'c1' }).catch(() => {});
  await tool.started(0);
  const [write] = journal.writes;
  assert.equal(write?.kind, 'started');
  const { record, toolDigest } = write.entry;
  return { record, attempt: 1, toolDigest };
}

interface Resumed {
  readonly harness: Harness;
  readonly tool: RecordingTool;
  readonly journal: TestJournal;
  readonly asked: readonly (readonly [args: object, key: string])[];
}

/** A later process, whose tool answers this. */
function resumed(
  answer: ReconcileAnswer | (() => unknown),
  overrides: ToolOverrides = {},
  options: HarnessOptions = {},
): Resumed {
  const asked: [object, string][] = [];
  const journal = createTestJournal();
  const tool = recordingTool('pay', {
    risk: 'high',
    reconcile: async (given, key) => {
      asked.push([given, key]);
      return (typeof answer === 'function' ? answer() : answer) as ReconcileAnswer;
    },
    ...overrides,
  });
  // An approval that is asked for again would never be answered.
  return {
    harness: createHarness([tool], { approvalHandler: neverAnswers(), ...options, journal }),
    tool,
    journal,
    asked,
  };
}

const statusOf = (journal: TestJournal): ChainCallRecord['status'] | undefined => {
  const [item] = journalItems(journal).items;
  return item?.type === 'call' ? item.entry.record.status : undefined;
};

test('a call that took effect ends with the result that its tool found, and the tool does not run', async () => {
  const interrupted = await interruptedCall();
  const { harness, tool, journal, asked } = resumed({ happened: true, result: valueResult({ receipt: 7 }) });
  const result = await harness.call('pay', args, { callId: 'c1', interrupted });
  assert.deepEqual([result.status, result.structured], ['ok', { receipt: 7 }]);
  assert.deepEqual(asked, [[args, 'run:c1']]);
  assert.equal(tool.calls.length, 0);
  assert.deepEqual(
    journal.writes.map(({ kind, entry }) => [kind, entry.attempt, entry.record.status]),
    [['finished', 1, 'ok']],
  );
  assert.equal(harness.onlyRecord().approval?.decision, 'approved');
});

test('a tool that is asked knows the folder of the run', async () => {
  const interrupted = await interruptedCall();
  const folders: unknown[] = [];
  const reconcile = async (_args: object, _key: string, { cwd }: ReconcileContext): Promise<ReconcileAnswer> => {
    folders.push(cwd);
    return { happened: true, result: valueResult(1) };
  };
  const { harness } = resumed('unknown', { reconcile }, { session: { cwd: '/srv/shop' } });
  await harness.call('pay', args, { callId: 'c1', interrupted });
  assert.deepEqual(folders, ['/srv/shop']);
});

test('without a result the caller reads that the call took effect', async () => {
  const interrupted = await interruptedCall();
  const { harness } = resumed({ happened: true });
  assert.match((await harness.call('pay', args, { callId: 'c1', interrupted })).text, /pay took effect before/);
});

test('a result that breaks the outputSchema names the tool', async () => {
  const interrupted = await interruptedCall();
  const { harness } = resumed(
    { happened: true, result: valueResult({ receipt: 'x' }) },
    {
      outputSchema: { type: 'object', properties: { receipt: { type: 'integer' } } },
    },
  );
  const { error } = await harness.call('pay', args, { callId: 'c1', interrupted });
  assert.equal(error?.code, 'E_OUTPUT_INVALID');
  assert.match(error.message, /The tool pay/);
});

test('a call that did not take effect runs once, as the next attempt, without another approval', async () => {
  const interrupted = await interruptedCall();
  const { harness, tool, journal } = resumed({ happened: false });
  assert.equal((await harness.call('pay', args, { callId: 'c1', interrupted })).status, 'ok');
  assert.equal(tool.calls.length, 1);
  assert.equal(tool.contexts[0]?.idempotencyKey, 'run:c1');
  assert.deepEqual(
    journal.writes.map(({ kind, entry }) => [kind, entry.attempt]),
    [
      ['started', 2],
      ['finished', 2],
    ],
  );
});

test('a tool that does not know, fails, or answers nonsense leaves the call unknown', async () => {
  const interrupted = await interruptedCall();
  const answers = [
    'unknown',
    () => {
      throw new Error('the bank is closed');
    },
    () => undefined,
    () => ({ happened: 'yes' }),
  ] as const;
  for (const answer of answers) {
    const { harness, tool, journal } = resumed(answer);
    const { error } = await harness.call('pay', args, { callId: 'c1', interrupted });
    assert.equal(error?.code, 'E_CALL_UNKNOWN');
    assert.equal(tool.calls.length, 0);
    assert.equal(statusOf(journal), 'unknown');
    assert.equal(harness.onlyRecord().status, 'unknown');
  }
});

test('reconcile ends at callTimeoutMs, its signal aborts, and the call is unknown', async () => {
  const interrupted = await interruptedCall();
  let signal: AbortSignal | undefined;
  const { harness } = resumed('unknown', {
    reconcile: (_args, _key, context) => {
      ({ signal } = context);
      return new Promise(() => {});
    },
  });
  const call = harness.call('pay', args, { callId: 'c1', interrupted });
  await settle();
  harness.clock.advance(60_000);
  assert.equal((await call).error?.code, 'E_CALL_UNKNOWN');
  assert.equal(signal?.aborted, true);
});

test('a cancellation during reconcile leaves the call as it was, for the next process', async () => {
  const interrupted = await interruptedCall();
  const { harness, journal } = resumed(() => new Promise(() => {}));
  const call = harness.call('pay', args, { callId: 'c1', interrupted });
  await settle();
  harness.session.cancel('stop');
  await assert.rejects(call, (error) => isKernelError(error, 'E_CANCELLED'));
  assert.deepEqual(journal.writes, []);
});

test('a gate that refuses the call now does not hide that it may have taken effect', async () => {
  const interrupted = await interruptedCall();
  const { harness, asked } = resumed({ happened: false });
  harness.session.narrow(['other']);
  const { error } = await harness.call('pay', args, { callId: 'c1', interrupted });
  assert.equal(error?.code, 'E_CALL_UNKNOWN');
  assert.deepEqual(asked, []);
});

test('other arguments than those that ran are not asked about, and need their own approval', async () => {
  const interrupted = await interruptedCall();
  const { harness, asked, tool } = resumed({ happened: false }, {}, { approvalHandler: approveAll() });
  const { error } = await harness.call('pay', { to: 'eve', cents: 5 }, { callId: 'c1', interrupted });
  assert.equal(error?.code, 'E_CALL_UNKNOWN');
  assert.deepEqual([asked.length, tool.calls.length], [0, 0]);
});

test('the approval does not hold for another definition of the tool', async () => {
  const interrupted = await interruptedCall();
  const approvals = approveAll();
  const { harness } = resumed({ happened: false }, { description: 'Pays twice.' }, { approvalHandler: approvals });
  await harness.call('pay', args, { callId: 'c1', interrupted });
  assert.equal(approvals.requests.length, 1);
});

test('an idempotent tool that does not know runs again', async () => {
  const interrupted = await interruptedCall();
  const { harness, tool, asked } = resumed('unknown', { idempotent: true });
  assert.equal((await harness.call('pay', args, { callId: 'c1', interrupted })).text, 'ok');
  assert.deepEqual([asked.length, tool.calls.length], [1, 1]);
});

test('a tool without reconcile is called as if there had been no attempt', async () => {
  const interrupted = await interruptedCall();
  const { harness, tool, journal } = resumed(
    'unknown',
    { reconcile: undefined as never, idempotent: true },
    {
      approvalHandler: approveAll(),
    },
  );
  await harness.call('pay', args, { callId: 'c1', interrupted });
  assert.equal(tool.calls.length, 1);
  assert.equal(journal.writes[0]?.entry.attempt, undefined);
});
