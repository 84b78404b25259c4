import assert from 'node:assert/strict';
import { openApprovalStatuses } from '@ravi/kernel';
import type { CompleteStateStore } from '@ravi/kernel';
import { postgresForTests } from '@ravi/state-testing';
import { createSeededRandom } from '@ravi/testkit';
import { afterAll, test } from 'vitest';
import { createPostgresStateStore } from '../src/index.ts';
import { requestOf, runOf, tolerant } from './support/shared-rows.ts';

const server = await postgresForTests();
afterAll(() => server[Symbol.asyncDispose]());
const { url = '' } = server;
const withServer = server.url === undefined ? test.skip : test;
const rounds = 12;
const requestsPerRun = 4;

withServer(
  'ends of runs, decisions, expiries and new requests of one tree never block each other for good',
  async () => {
    const schema = `races_${process.pid}`;
    const stores = await Promise.all([1, 2].map(() => createPostgresStateStore({ url, schema })));
    const [one, two] = stores as [CompleteStateStore, CompleteStateStore];
    const { below } = createSeededRandom(17);
    for (let round = 0; round < rounds; round++) {
      const top = `top-${round}`;
      const tree = [top, `${top}-a`, `${top}-b`, `${top}-a-a`];
      await one.runs.create(runOf(top));
      for (const id of tree.slice(1)) await one.runs.create(runOf(id, id.slice(0, id.lastIndexOf('-'))));
      const ids: string[] = [];
      for (let index = 0; index < requestsPerRun; index++) {
        for (const runId of tree) {
          const request = requestOf(runId, String(index), index % 2 === 0 ? 10 : 1_000_000);
          await one.approvals.create(request);
          ids.push(request.id);
        }
      }
      const decided = { decision: 'approved', decidedAt: 5, approver: 'eve' } as const;
      const binding = { toolDigest: 'd', argsDigest: 'a', principal: 'ada', tool: 'write', runId: top };
      const works: (() => Promise<unknown>)[] = [
        ...ids.map((id) => () => two.approvals.decide(id, decided)),
        ...tree.map((runId) => () => one.approvals.decide(`${runId}-0`, { ...decided, scope: 'run' })),
        ...tree.map((runId) => () => two.approvals.decide(`${runId}-3`, { ...decided, scope: 'run' })),
        ...ids.map(
          (id) => () =>
            one.approvals.consume(
              id,
              { ...binding, runId: id.slice(0, id.lastIndexOf('-')) },
              { consumer: id, now: 6 },
            ),
        ),
        ...ids.map((id) => () => two.approvals.withdraw(id, { now: 7, reason: 'no longer needed' })),
        ...tree.map((runId) => () => two.approvals.create(requestOf(runId, String(90 + round), 1_000_000))),
        ...tree.map((runId) => () => one.runs.create(runOf(`${runId}-late`, runId))),
        ...tree.map((runId) => () => two.inputs.add({ id: 'input', runId, text: 'continue', createdAt: 8 })),
        () => one.approvals.expire(20),
        () => two.approvals.expire(20),
        () => one.runs.transition(`${top}-a`, { from: ['running'], to: 'failed', now: 9 }),
        () => two.runs.transition(top, { from: ['running'], to: 'completed', now: 9 }),
      ];
      const shuffled = works.map((work) => ({ work, place: below(1_000_000) })).toSorted((a, b) => a.place - b.place);
      await Promise.all(shuffled.map(({ work }) => tolerant(work)));

      const { items: runs } = await one.runs.list({ sessionId: 'session-1' }, { limit: 1_000 });
      const ofTree = runs.filter(({ id }) => id === top || id.startsWith(`${top}-`));
      assert.deepEqual(
        ofTree.filter(({ status }) => status === 'running' || status === 'paused').map(({ id }) => id),
        [],
      );
      for (const { id } of ofTree) {
        const { items } = await one.approvals.list({ runId: id }, { limit: 1_000 });
        const left = items.filter(({ status }) => openApprovalStatuses.includes(status));
        assert.deepEqual(
          left.map(({ request }) => request.id),
          [],
        );
      }
    }
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
  },
);
