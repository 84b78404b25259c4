import assert from 'node:assert/strict';
import { KernelError } from '@ravi/kernel';
import type { RunWriter, ToolContext } from '@ravi/kernel';
import { createTestJournal, refusing, settle } from '@ravi/testkit';
import type { TestJournal } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool, textResult } from '../support/tools.ts';

const policy = { maxRiskUnapproved: 'high' } as const;
const writer: RunWriter = { runId: 'run', owner: 'process', epoch: 1 };
const lease = { writer, isLost: false, isCertain: true, confirm: async () => true };
const leaving = new KernelError('E_RUN_SUSPENDED', 'The process shuts down');

const linesOf = ({ writes }: TestJournal): readonly string[] =>
  writes.map(({ kind, entry }) => (entry.isWithdrawn === true ? 'withdrawn' : kind));

/** A journal whose first write waits until `written` is called. */
function slowJournal() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { journal: createTestJournal(() => promise), written: resolve };
}

test('a call that is cancelled while its start is being recorded did not begin, and the journal says so', async () => {
  const { journal, written } = slowJournal();
  const tool = recordingTool('send', { risk: 'high' });
  const harness = createHarness([tool], { journal, policy });
  harness.session.holdLease(lease);
  const sending = harness.call('send');
  await settle();
  harness.session.cancel('The process shuts down', leaving);
  written();
  await assert.rejects(sending, { code: 'E_CANCELLED' });
  assert.deepEqual(linesOf(journal), ['started', 'withdrawn']);
  assert.deepEqual(tool.calls, []);
});

test('a call that is cancelled after its tool was started may have had an effect, and is not withdrawn', async () => {
  const journal = createTestJournal();
  const tool = recordingTool('send', { risk: 'high', run: () => new Promise(() => {}) });
  const harness = createHarness([tool], { journal, policy });
  harness.session.holdLease(lease);
  const sending = harness.call('send');
  await settle();
  harness.session.cancel('The process shuts down', leaving);
  await assert.rejects(sending, { code: 'E_CANCELLED' });
  assert.equal(linesOf(journal).includes('withdrawn'), false);
});

/** A tool that waits until `connected` is called, and then begins. */
function connectingTool() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const effects: string[] = [];
  const tool = {
    name: 'send',
    description: 'Sends.',
    risk: 'high' as const,
    beginsLate: true,
    inputSchema: { type: 'object' as const },
    async execute(_: unknown, context: ToolContext) {
      await promise;
      await context.begin();
      await context.begin();
      effects.push('sent');
      return textResult('sent');
    },
  };
  return { tool, effects, connected: resolve };
}

test('a call of a tool that begins late is not on record while it waits, and once before its effect', async () => {
  const journal = createTestJournal();
  const { tool, effects, connected } = connectingTool();
  const harness = createHarness([tool], { journal, policy });
  const sending = harness.call('send');
  await settle();
  assert.deepEqual(journal.writes, []);
  connected();
  assert.equal((await sending).text, 'sent');
  assert.deepEqual([linesOf(journal), effects], [['started', 'finished'], ['sent']]);
});

test('a call of a tool that begins late leaves no record if it is cancelled before', async () => {
  const journal = createTestJournal();
  const { tool, effects, connected } = connectingTool();
  const harness = createHarness([tool], { journal, policy });
  harness.session.holdLease(lease);
  const sending = harness.call('send');
  await settle();
  harness.session.cancel('The process shuts down', leaving);
  await assert.rejects(sending, { code: 'E_CANCELLED' });
  connected();
  await settle();
  assert.deepEqual([journal.writes, effects], [[], []]);
});

test('a call that is cancelled while its late start is being recorded has no effect and is withdrawn', async () => {
  const { journal, written } = slowJournal();
  const { tool, effects, connected } = connectingTool();
  const harness = createHarness([tool], { journal, policy });
  harness.session.holdLease(lease);
  const sending = harness.call('send');
  connected();
  await settle();
  harness.session.cancel('The process shuts down', leaving);
  written();
  await assert.rejects(sending, { code: 'E_CANCELLED' });
  assert.deepEqual([linesOf(journal), effects], [['started', 'withdrawn'], []]);
});

test('a tool that begins late has no effect if its start cannot be recorded', async () => {
  const { tool, effects, connected } = connectingTool();
  const harness = createHarness([tool], { journal: createTestJournal(refusing('started')), policy });
  connected();
  const { status, text } = await harness.call('send');
  assert.deepEqual([status, effects], ['error', []]);
  assert.match(text, /could not be written to the journal, so it was not started/);
});
