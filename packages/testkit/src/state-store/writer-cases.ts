import assert from 'node:assert/strict';
import type {
  Exchange,
  InvocationResult,
  NewHistoryEntry,
  NewJob,
  RunStore,
  RunWriter,
  StateStoreWith,
} from '@ravi/kernel';
import { createApprovalRequest } from '../doubles/test-approvals.ts';
import { journalEntry } from './journal-cases.ts';
import { midnight, newRun, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

type Parts = StateStoreWith<'journal' | 'history' | 'jobs' | 'approvals' | 'exchanges'>;

const about = { principal: 'ada', sessionId: 'session-1', runId: 'run-1' } as const;
const job: NewJob = { ...about, id: 'job-1', kind: 'crawl', createdAt: midnight };
const entry: NewHistoryEntry = { ...about, message: { role: 'user', content: [] }, createdAt: midnight };
const exchange: Exchange = { runId: 'run-1', record: { step: 1 }, shared: { tools: ['mail'] } };
const ok: InvocationResult = { status: 'ok', text: 'done', files: [] };
const refused = 'E_STATE_CONFLICT';

function writerOf(owner: string, epoch: number, runId = 'run-1'): RunWriter {
  return { runId, owner, epoch };
}

/** Writers that do not execute epoch 3 of `run-1`, which the owner `one` has: the last ones never did. */
const stale: Readonly<Record<string, RunWriter>> = {
  'that executed the run before': writerOf('two', 2),
  'with the current owner, of an earlier epoch': writerOf('one', 1),
  'with an epoch that has not begun': writerOf('one', 4),
  'of an unknown run': writerOf('one', 3, 'run-9'),
};

/** Creates `run-1`, which is taken twice: `one` has executed epoch 1 and executes epoch 3. */
async function takenTwice(runs: RunStore): Promise<RunWriter> {
  await runs.create(newRun('run-1'), { owner: 'one' });
  for (const owner of ['two', 'one']) await runs.claim('run-1', { owner });
  return writerOf('one', 3);
}

/** Cases about processes that write for a run after another one has taken it. */
export function writerCases({ needing }: StateStoreSuite): void {
  const scenario = needing('journal', 'history', 'jobs', 'approvals', 'exchanges');
  for (const [what, writer] of Object.entries(stale)) {
    scenario(`a writer ${what} changes nothing`, async (store) => {
      const current = await takenTwice(store.runs);
      await writeAll(store, current);
      const before = await everything(store);
      await refusesAll(store, writer);
      assert.deepEqual(await everything(store), before);
    });
  }

  scenario('no writer changes anything for a run that is paused or has ended', async (store) => {
    const { runs } = store;
    const current = await takenTwice(runs);
    await writeAll(store, current);
    await runs.transition('run-1', { from: ['running'], to: 'paused', now: midnight });
    await refusesAll(store, current);
    await runs.claim('run-1', { owner: 'one' });
    await runs.transition('run-1', { from: ['paused'], to: 'completed', now: midnight });
    await refusesAll(store, writerOf('one', 4));
  });

  scenario('a writer is not part of what it writes', async (store) => {
    await writeAll(store, await takenTwice(store.runs));
    const { run: _, ...rows } = await everything(store);
    assert.equal(/writer|epoch/.test(JSON.stringify(rows)), false);
  });

  const withRuns = needing();
  withRuns('a run is released and changed in its own epoch only', async ({ runs }) => {
    await takenTwice(runs);
    const pause = { from: ['running'], to: 'paused', now: midnight, owner: 'one' } as const;
    assert.equal(await runs.release('run-1', 'one', 1), false);
    assert.equal(await runs.transition('run-1', { ...pause, epoch: 1 }), false);
    assert.deepEqual([(await runs.get('run-1'))?.status, (await runs.get('run-1'))?.owner], ['running', 'one']);
    assert.equal(await runs.transition('run-1', { ...pause, epoch: 3 }), true);
    await runs.claim('run-1', { owner: 'one' });
    assert.equal(await runs.release('run-1', 'one', 4), true);
  });

  withRuns('only the process that executes a run creates, claims and ends the runs below it', async ({ runs }) => {
    const above = await takenTwice(runs);
    const below = { ...newRun('run-2'), parentRunId: 'run-1' };
    const cancel = { from: ['running'], to: 'cancelled', now: midnight } as const;
    await rejectsWith(refused, runs.create(below, { owner: 'two', above: writerOf('two', 2) }));
    assert.equal(await runs.get('run-2'), undefined);
    await runs.create(below, { owner: 'one', above });
    await runs.release('run-2', 'one');
    await rejectsWith(refused, runs.claim('run-2', { owner: 'two', above: writerOf('two', 2) }));
    await rejectsWith(refused, runs.transition('run-2', { ...cancel, above: writerOf('two', 2) }));
    await rejectsWith(refused, runs.transition('run-2', { ...cancel, to: 'paused', above: writerOf('two', 2) }));
    assert.deepEqual([(await runs.get('run-2'))?.status, (await runs.get('run-2'))?.epoch], ['running', 1]);
    assert.equal((await runs.claim('run-2', { owner: 'one', above }))?.epoch, 2);
    assert.equal(await runs.transition('run-2', { ...cancel, above }), true);
  });
}

/** Writes one row of each kind, and leaves an open call, a queued job and two requests for approval. */
async function writeAll(store: Parts, writer: RunWriter): Promise<void> {
  const { journal, history, jobs, approvals, exchanges } = store;
  await journal.started(journalEntry('run-1', 1, { writer }));
  await journal.observed({ runId: 'run-1', position: 2, kind: 'now', value: 1, writer });
  await journal.started(journalEntry('run-1', 3, { writer }));
  await journal.finished(journalEntry('run-1', 3, { writer }), ok);
  await history.append([entry], 0, writer);
  await exchanges.append(exchange, writer);
  await jobs.create(job, writer);
  await jobs.update('job-1', 1, { status: 'running', now: midnight, writer });
  for (const id of ['open', 'decided', 'used', 'withdrawn']) await approvals.create(requestOf(id), writer);
  for (const id of ['decided', 'used']) await approvals.decide(id, { decision: 'approved', decidedAt: midnight });
  const by = { consumer: 'call', now: midnight, writer };
  assert.equal((await approvals.consume('used', requestOf('used'), by)).status, 'done');
  const why = { now: midnight, reason: 'over', writer };
  assert.equal((await approvals.withdraw('withdrawn', why)).status, 'done');
}

async function refusesAll(store: Parts, writer: RunWriter): Promise<void> {
  const { journal, history, jobs, approvals, exchanges } = store;
  await rejectsWith(refused, journal.started(journalEntry('run-1', 4, { writer })));
  await rejectsWith(refused, journal.finished(journalEntry('run-1', 1, { writer }), ok));
  await rejectsWith(refused, journal.observed({ runId: 'run-1', position: 5, kind: 'now', value: 1, writer }));
  await rejectsWith(refused, history.append([entry], 1, writer));
  await rejectsWith(refused, exchanges.append(exchange, writer));
  await rejectsWith(refused, jobs.create({ ...job, id: 'job-2' }, writer));
  await rejectsWith(refused, jobs.update('job-1', 2, { status: 'completed', now: midnight, writer }));
  await rejectsWith(refused, approvals.create(requestOf('new'), writer));
  const by = { consumer: 'call', now: midnight, writer };
  await rejectsWith(refused, approvals.consume('decided', requestOf('decided'), by));
  await rejectsWith(refused, approvals.withdraw('open', { now: midnight, reason: 'over', writer }));
}

function requestOf(id: string): ReturnType<typeof createApprovalRequest> {
  return createApprovalRequest({ ...about, id, requestedAt: midnight, expiresAt: midnight + 1_000 });
}

async function everything(store: Parts): Promise<Readonly<Record<string, unknown>>> {
  return {
    run: await store.runs.get('run-1'),
    journal: whole(await store.journal.entries('run-1')),
    exchanges: whole(await store.exchanges.list('run-1')),
    history: whole(await store.history.read('ada', 'session-1')),
    jobs: whole(await store.jobs.list({})),
    approvals: whole(await store.approvals.list({})),
    changes: whole(await store.approvals.changes()),
  };
}
