import assert from 'node:assert/strict';
import type { ApprovalRequest, ApprovalStore, PageRequest, PausedRun, RunStore } from '@ravi/kernel';
import { createApprovalRequest } from '../doubles/test-approvals.ts';
import { midnight, newRun, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const yes = { decision: 'approved', approver: 'grace', decidedAt: midnight + 1 } as const;
const expiresAt = midnight + 1_000;

/** Cases about paused runs and what they wait for. */
export function pausedRunCases({ needing }: StateStoreSuite): void {
  const scenario = needing('approvals');

  scenario('paused runs are listed with the state of their approvals', async ({ runs, approvals }) => {
    for (const id of ['none', 'pending', 'answered', 'taken', 'taken-before', 'withdrawn']) await pause(runs, id);
    await runs.create(newRun('running'));
    await ask(approvals, 'pending');
    await ask(approvals, 'answered', { id: 'answered-2' });
    await ask(approvals, 'answered');
    await approvals.decide('answered', yes);
    await ask(approvals, 'taken', { id: 'taken-2' });
    await ask(approvals, 'taken');
    await take(approvals, 'taken');
    await ask(approvals, 'taken-before');
    await take(approvals, 'taken-before');
    await ask(approvals, 'taken-before', { id: 'asked-later' });
    await ask(approvals, 'withdrawn');
    await approvals.withdraw('withdrawn', { now: midnight + 5, reason: 'the call ended' });
    await ask(approvals, 'running');

    const nothing = { kind: 'chain', isBlocked: false, isAnswered: false, isPending: false, hasJustConsumed: false };
    assert.deepEqual(whole(await runs.listPaused()), [
      { ...nothing, id: 'withdrawn' },
      { ...nothing, id: 'taken-before', isPending: true },
      { ...nothing, id: 'taken', isPending: true, hasJustConsumed: true },
      { ...nothing, id: 'answered', isPending: true, isAnswered: true },
      { ...nothing, id: 'pending', isPending: true },
      { ...nothing, id: 'none' },
    ]);
    const ids = async (page: PageRequest): Promise<readonly string[]> =>
      whole<PausedRun>(await runs.listPaused(page)).map(({ id }) => id);
    const { next: cursor = '' } = await runs.listPaused({ limit: 4 });
    assert.deepEqual(await ids({ cursor }), ['pending', 'none']);
    await rejectsWith('E_STATE_INVALID', runs.listPaused({ cursor: 'x' }));
  });

  scenario('paused runs are listed with the reason of their last pause', async ({ runs }) => {
    const reasons = ['question', 'approval', 'changed', undefined] as const;
    for (const [index, reason] of reasons.entries()) {
      const id = `run-${index}`;
      await runs.create(newRun(id), { owner: 'one' });
      for (const last of ['question', reason] as const) {
        const why = last === undefined ? {} : { reason: last };
        const event = { type: 'run-paused', runId: id, sessionId: id, questions: [], ...why } as const;
        const change = { from: ['running'], to: 'paused', now: midnight, event } as const;
        assert.equal(await runs.transition(id, change), true);
        if (last === reason) break;
        await runs.claim(id, { owner: 'two' });
        await runs.transition(id, { from: ['paused'], to: 'running', now: midnight });
      }
    }
    const listed = whole<PausedRun>(await runs.listPaused()).map(({ reason }) => reason);
    assert.deepEqual(listed, reasons.toReversed());
  });

  scenario(
    'the paused runs of a principal are counted up to a limit, without the runs below them',
    async ({ runs }) => {
      for (const id of ['one', 'two', 'three']) await pause(runs, id);
      await runs.create({ ...newRun('child'), parentRunId: 'one' });
      await runs.transition('child', { from: ['running'], to: 'paused', now: midnight });
      await runs.create(newRun('running'));
      const { principal } = newRun('one');
      assert.deepEqual(await Promise.all([2, 3, 9].map((atMost) => runs.countPaused(principal, atMost))), [2, 3, 3]);
      assert.equal(await runs.countPaused(`not ${principal}`, 9), 0);
      await runs.transition('two', { from: ['paused'], to: 'cancelled', now: midnight });
      assert.equal(await runs.countPaused(principal, 9), 2);
    },
  );

  scenario('a parked request is open and not an answer', async ({ runs, approvals }) => {
    await pause(runs, 'waits');
    await ask(approvals, 'waits', { expiresAt, onExpiry: 'park' });
    assert.equal(whole(await approvals.expire(expiresAt))[0]?.status, 'parked');
    const [run] = whole(await runs.listPaused());
    assert.deepEqual([run?.isPending, run?.isAnswered], [true, false]);
    assert.deepEqual(whole(await runs.listAnswered(0)), []);
    await approvals.decide('waits', { ...yes, decidedAt: expiresAt + 1 });
    assert.deepEqual(whole(await runs.listAnswered(0)), ['waits']);
  });

  scenario('an approval counts for the runs above its run', async ({ runs, approvals }) => {
    await pause(runs, 'top');
    await runs.create({ ...newRun('child'), parentRunId: 'top' });
    await pause(runs, 'grandchild', 'child');
    await ask(approvals, 'grandchild');
    const stateOf = async (): Promise<unknown> =>
      whole<PausedRun>(await runs.listPaused()).map(({ id, isPending, isAnswered }) => [id, isPending, isAnswered]);
    assert.deepEqual(await stateOf(), [
      ['grandchild', true, false],
      ['top', true, false],
    ]);
    assert.deepEqual(whole(await runs.listAnswered(0)), []);
    await approvals.decide('grandchild', yes);
    assert.deepEqual(await stateOf(), [
      ['grandchild', false, true],
      ['top', false, true],
    ]);
    assert.deepEqual(whole(await runs.listAnswered(0)), ['top', 'grandchild']);
  });

  scenario('paused runs with an answer are found by it until a call takes it', async ({ runs, approvals }) => {
    for (const id of ['approved', 'denied', 'expired', 'pending', 'taken', 'over']) {
      await pause(runs, id);
      await ask(approvals, id, id === 'expired' || id === 'over' ? { expiresAt } : {});
    }
    await runs.create(newRun('running'));
    await ask(approvals, 'running');
    for (const id of ['approved', 'running']) await approvals.decide(id, yes);
    await approvals.decide('denied', { ...yes, decision: 'denied' });
    await take(approvals, 'taken');
    await approvals.expire(expiresAt);
    await runs.transition('over', { from: ['paused'], to: 'cancelled', now: midnight });
    assert.deepEqual(whole(await runs.listAnswered(expiresAt)), ['approved', 'denied', 'expired']);
    assert.deepEqual(whole(await runs.listAnswered(expiresAt + 1)), ['approved', 'denied']);
    const { items, next: cursor = '' } = await runs.listAnswered(0, { limit: 2 });
    assert.deepEqual(items, ['approved', 'denied']);
    assert.deepEqual(whole(await runs.listAnswered(0, { cursor })), ['expired']);
  });

  scenario('an approval for the run covers its scripts, and not its sub-agents', async ({ approvals, runs }) => {
    const add = async (id: string, parentRunId?: string): Promise<void> =>
      void (await runs.create({ ...newRun(id), ...(parentRunId === undefined ? {} : { parentRunId }) }));
    await add('agent');
    await add('script', 'agent');
    await add('inner', 'script');
    await add('helper', 'agent');
    await add('other');
    const partOfRunId = 'agent';
    await ask(approvals, 'script', { id: 'asked', partOfRunId });
    await ask(approvals, 'agent', { id: 'own' });
    await ask(approvals, 'inner', { id: 'inner', partOfRunId });
    await ask(approvals, 'agent', { id: 'critical', risk: 'critical' });
    await ask(approvals, 'helper', { id: 'helper' });
    await ask(approvals, 'other', { id: 'other' });
    await approvals.decide('asked', { ...yes, scope: 'run' });
    const ids = ['own', 'inner', 'critical', 'helper', 'other'];
    const reached = await Promise.all(ids.map(async (id) => (await approvals.get(id))?.status));
    assert.deepEqual(reached, ['approved', 'approved', 'pending', 'pending', 'pending']);
  });

  scenario('any number of requests expires at once', async ({ approvals }) => {
    const ids = Array.from({ length: 250 }, (_, index) => `request-${String(index).padStart(3, '0')}`);
    for (const id of ids) await ask(approvals, 'run-1', { id, expiresAt });
    await ask(approvals, 'run-1', { id: 'later', expiresAt: expiresAt + 1 });
    const expired = whole(await approvals.expire(expiresAt));
    assert.deepEqual(
      expired.map(({ request, status }) => [request.id, status]),
      ids.map((id) => [id, 'expired']),
    );
    assert.deepEqual(whole(await approvals.expire(expiresAt)), []);
  });
}

async function pause(runs: RunStore, id: string, parentRunId?: string): Promise<void> {
  await runs.create({ ...newRun(id), ...(parentRunId === undefined ? {} : { parentRunId }) });
  assert.equal(await runs.transition(id, { from: ['running'], to: 'paused', now: midnight }), true);
}

/** Stores a request of a run, by default with the id of the run. */
async function ask(approvals: ApprovalStore, runId: string, overrides: Partial<ApprovalRequest> = {}): Promise<void> {
  await approvals.create(createApprovalRequest({ id: runId, runId, requestedAt: midnight, ...overrides }));
}

async function take(approvals: ApprovalStore, id: string): Promise<void> {
  await approvals.decide(id, yes);
  const request = createApprovalRequest({ id, runId: id, requestedAt: midnight });
  assert.equal((await approvals.consume(id, request, { consumer: 'call', now: midnight + 2 })).status, 'done');
}
