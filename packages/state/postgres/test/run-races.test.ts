import assert from 'node:assert/strict';
import { openApprovalStatuses } from '@ravi/kernel';
import type { CompleteStateStore, NewJob, RunWriter } from '@ravi/kernel';
import { postgresForTests } from '@ravi/state-testing';
import { createSeededRandom } from '@ravi/testkit';
import { afterAll, test } from 'vitest';
import { createPostgresStateStore } from '../src/index.ts';
import { place, requestOf, runOf, tolerant } from './support/shared-rows.ts';

const server = await postgresForTests();
afterAll(() => server[Symbol.asyncDispose]());
const { url = '' } = server;
const withServer = server.url === undefined ? test.skip : test;
const rounds = 5;
const callsPerRun = 3;
const holder = { owner: 'process-1' };
const decided = { decision: 'approved', decidedAt: 5, approver: 'eve' } as const;
const open: ReadonlySet<string> = new Set(openApprovalStatuses);

const jobOf = (id: string, runId: string, callId: string): NewJob => ({ ...place, id, runId, callId, kind: 'tool' });

interface Line {
  readonly approvalId: string;
  readonly from?: string | undefined;
  readonly to: string;
}

/** Follows the audit log until the work is done, as a server does. */
async function follow(store: CompleteStateStore, after: number, work: Promise<unknown>): Promise<readonly Line[]> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const lines: Line[] = [];
  let last = after;
  for (let isLast = false; ;) {
    assert.ok((await store.approvals.lastSequence()) >= 0);
    const { items } = await store.approvals.changes({ after: last, limit: 50 });
    for (const { sequence, approvalId, from, to } of items) {
      assert.ok(sequence > last);
      last = sequence;
      lines.push({ approvalId, from, to });
    }
    if (items.length > 0) continue;
    if (isLast) break;
    isLast = isDone;
  }
  await done;
  return lines;
}

withServer(
  'random work on one tree keeps its approvals, jobs and audit log consistent',
  { timeout: 60_000 },
  async () => {
    const schema = `run_races_${process.pid}`;
    const stores = await Promise.all([1, 2].map(() => createPostgresStateStore({ url, schema })));
    const [one, two] = stores as [CompleteStateStore, CompleteStateStore];
    const { below } = createSeededRandom(29);
    let after = 0;
    for (let round = 0; round < rounds; round++) {
      const top = `top-${round}`;
      const tree = [top, `${top}-a`, `${top}-b`, `${top}-a-a`];
      const ids: string[] = [];
      const jobIds: string[] = [];
      const writers = new Map<string, RunWriter>();
      for (const id of tree) {
        const parent = id === top ? undefined : id.slice(0, id.lastIndexOf('-'));
        const run = await one.runs.create(runOf(id, parent, 'call-0'), below(2) === 0 ? holder : undefined);
        writers.set(id, { runId: id, owner: holder.owner, epoch: run.epoch });
        for (let index = 0; index < callsPerRun; index++) {
          const request = requestOf(id, `call-${index}`, index === 0 ? 10 : 1_000_000);
          await one.approvals.create(request);
          ids.push(request.id);
          jobIds.push(`job-${request.id}`);
          await one.jobs.create(jobOf(`job-${request.id}`, id, `call-${index}`));
        }
      }
      const consumed = new Map<string, number>();
      const consume = async (store: CompleteStateStore, id: string, consumer: string): Promise<void> => {
        const runId = id.slice(0, id.indexOf('-call'));
        const binding = { toolDigest: 'd', argsDigest: 'a', principal: 'ada', tool: 'write', runId };
        const writer = writers.get(runId);
        const how = { consumer, now: 6, ...(below(2) === 0 && writer ? { writer } : {}) };
        const taken = await tolerant(() => store.approvals.consume(id, binding, how));
        if (taken?.status === 'done') consumed.set(id, (consumed.get(id) ?? 0) + 1);
      };
      const end = { from: ['running', 'paused'], now: 9 } as const;
      const works: (() => Promise<unknown>)[] = [
        ...ids.flatMap((id) => [
          () => two.approvals.decide(id, decided),
          () => consume(one, id, 'process-1'),
          () => consume(two, id, 'process-2'),
        ]),
        ...tree.flatMap((runId) => [
          () => one.approvals.decide(`${runId}-call-0`, { ...decided, scope: 'run' }),
          () => two.approvals.create(requestOf(runId, 'late', 1_000_000), writers.get(runId)),
          () => one.runs.claim(runId, { owner: 'process-2' }),
          () => two.runs.claim(runId, { owner: 'process-3' }),
          () => one.runs.release(runId, 'process-1'),
          () => two.runs.transition(runId, { from: ['running'], to: 'paused', now: 4 }),
          () => two.inputs.add({ id: 'input', runId, text: 'continue', createdAt: 8 }),
          () => one.cancellations.request({ runId, requestedAt: 8 }),
          () => two.cancellations.removeEnded(),
          () => one.retention.removeRun(runId),
        ]),
        ...jobIds.flatMap((id) => [
          () => one.jobs.cancel(id, { version: 1, now: 7, reason: 'cancelled' }),
          () => two.jobs.update(id, 1, { status: 'running', now: 7 }),
        ]),
        () => one.approvals.expire(20),
        () => two.approvals.expire(20),
        () => one.runs.transition(`${top}-a`, { ...end, to: 'failed' }),
        () => two.runs.transition(top, { ...end, to: 'completed' }),
        () => one.retention.removeOrphans(0),
      ];
      const shuffled = works.map((work) => ({ work, place: below(1_000_000) })).toSorted((a, b) => a.place - b.place);
      const lines = await follow(two, after, Promise.all(shuffled.map(({ work }) => tolerant(work))));
      after = await one.approvals.lastSequence();

      for (const runId of tree) {
        const run = await one.runs.get(runId);
        const { items: asked } = await one.approvals.list({ runId }, { limit: 1_000 });
        const { items: jobs } = await one.jobs.list({ runId }, { limit: 1_000 });
        assert.notEqual(run?.status, 'running');
        assert.notEqual(run?.status, 'paused');
        assert.deepEqual(
          asked.filter(({ status }) => open.has(status)),
          [],
        );
        assert.deepEqual(
          jobs.filter(({ status }) => status === 'queued' || status === 'running'),
          [],
        );
        if (run !== undefined) continue;
        const own = asked.filter(({ request }) => request.runId === runId);
        assert.deepEqual([own, jobs, await one.inputs.list(runId)], [[], [], []]);
      }
      assert.deepEqual(
        [...consumed].filter(([, times]) => times > 1),
        [],
      );
      // Each line follows from the one before, so none is lost and none is in another order.
      const statuses = new Map<string, string>();
      for (const { approvalId, from, to } of lines) {
        assert.equal(from, statuses.get(approvalId), approvalId);
        statuses.set(approvalId, to);
      }
      for (const id of ids) assert.notEqual(statuses.get(id), undefined);
      for (const id of consumed.keys()) assert.equal(statuses.get(id), 'consumed');
    }
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
  },
);
