import assert from 'node:assert/strict';
import type { RunStatus } from '@ravi/kernel';
import { createApprovalRequest } from '../doubles/test-approvals.ts';
import { deadAfterMs, allPages, midnight, newRun, principals, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

/** Cases about runs; `ownerCases` has those about their owners. */
export function runCases({ needing }: StateStoreSuite): void {
  const scenario = needing();
  scenario('a run is got back as it was begun, running and without an owner', async ({ runs }) => {
    const run = newRun('run-1', { parentRunId: 'run-0' });
    const expected = { ...run, status: 'running', updatedAt: midnight, epoch: 0 };
    assert.deepEqual(await runs.create(run), expected);
    assert.deepEqual(await runs.get('run-1'), expected);
    assert.equal(await runs.get('run-2'), undefined);
  });

  scenario('an id of a run is taken once, and the first stays', async ({ runs }) => {
    await runs.create(newRun('run-1'));
    await rejectsWith('E_STATE_CONFLICT', runs.create(newRun('run-1', { principal: 'bob' })));
    assert.equal((await runs.get('run-1'))?.principal, 'ada');
  });

  scenario('an invalid id and a definition that is not JSON are refused', async ({ runs }) => {
    for (const id of ['', 'a\0', 'a\n', '\ud800', 'x'.repeat(201)]) {
      await rejectsWith('E_STATE_INVALID', runs.create(newRun(id)));
    }
    const cyclic: Record<string, unknown> = { kind: 'chain' };
    cyclic['self'] = cyclic;
    await rejectsWith('E_STATE_INVALID', runs.create(newRun('run-1', { definition: cyclic as never })));
    assert.equal(await runs.get('run-1'), undefined);
  });

  const withAll = needing('journal', 'approvals', 'jobs');
  withAll('an id that no run can have finds none and changes none', async ({ runs, journal, approvals, jobs }) => {
    await runs.create(newRun('a\ufffd'));
    const request = createApprovalRequest({ id: 'a\ufffd' });
    await approvals.create(request);
    for (const id of ['a\0', 'a\ud800']) {
      assert.equal(await runs.get(id), undefined);
      assert.equal(await runs.claim(id, { owner: 'one' }), undefined);
      assert.equal(await runs.release(id, 'one'), false);
      assert.equal(await runs.transition(id, { from: ['running'], to: 'failed', now: midnight }), false);
      assert.deepEqual(whole(await runs.list({ sessionId: id })), []);
      assert.deepEqual(whole(await journal.entries(id)), []);
      assert.equal(await approvals.get(id), undefined);
      assert.deepEqual(await approvals.decide(id, { decision: 'approved', decidedAt: midnight }), {
        status: 'not-found',
      });
      assert.equal(await jobs.update(id, 1, { now: midnight }), undefined);
      await rejectsWith('E_STATE_INVALID', runs.create(newRun('run-1', { parentRunId: id })));
    }
    assert.equal((await runs.get('a\ufffd'))?.status, 'running');
  });

  const withJobs = needing('jobs');
  withJobs('a run that ends cancels its live jobs, and those of the runs below it', async ({ runs, jobs }) => {
    await runs.create(newRun('run-1'));
    await runs.create(newRun('run-2', { parentRunId: 'run-1' }));
    await runs.create(newRun('run-3'));
    const job = { principal: 'ada', sessionId: 'session-1', kind: 'crawl', createdAt: midnight };
    for (const number of [1, 2, 3]) await jobs.create({ ...job, id: `job-${number}`, runId: `run-${number}` });
    await jobs.create({ ...job, id: 'job-4', runId: 'run-1' });
    await jobs.update('job-1', 1, { status: 'running', progress: { page: 7 }, now: midnight });
    await jobs.update('job-4', 1, { status: 'completed', result: 'done', now: midnight });
    await runs.transition('run-1', { from: ['running'], to: 'paused', now: midnight + 1 });
    assert.equal((await jobs.get('job-1'))?.status, 'running');
    await runs.transition('run-1', { from: ['paused'], to: 'failed', now: midnight + 2 });
    const statuses = [1, 2, 3, 4].map(async (number) => (await jobs.get(`job-${number}`))?.status);
    assert.deepEqual(await Promise.all(statuses), ['cancelled', 'cancelled', 'queued', 'completed']);
    const ended = await jobs.get('job-1');
    assert.deepEqual([ended?.progress, ended?.version, ended?.updatedAt], [{ page: 7 }, 3, midnight + 2]);
    assert.equal(ended?.error?.code, 'E_CANCELLED');
  });

  const withApprovals = needing('approvals');
  withApprovals('a run that ends withdraws its open approvals, and later ones too', async ({ runs, approvals }) => {
    for (const to of ['completed', 'failed', 'cancelled'] as const) {
      await runs.create(newRun(to), { owner: 'one' });
      const ask = (name: string): Promise<unknown> =>
        approvals.create(createApprovalRequest({ id: `${to} ${name}`, runId: to, requestedAt: midnight }));
      for (const name of ['pending', 'approved', 'consumed']) await ask(name);
      const yes = { decision: 'approved', decidedAt: midnight } as const;
      for (const name of ['approved', 'consumed']) await approvals.decide(`${to} ${name}`, yes);
      const taken = createApprovalRequest({ runId: to });
      await approvals.consume(`${to} consumed`, taken, { consumer: 'one', now: midnight });

      assert.equal(await runs.transition(to, { from: ['running'], to, now: midnight, owner: 'two' }), false);
      assert.equal((await approvals.get(`${to} pending`))?.status, 'pending');
      assert.equal(await runs.transition(to, { from: ['running'], to, now: midnight, owner: 'one' }), true);
      await ask('late');
      const found = await Promise.all(
        ['pending', 'approved', 'consumed', 'late'].map(async (name) => (await approvals.get(`${to} ${name}`))?.status),
      );
      assert.deepEqual(found, ['withdrawn', 'withdrawn', 'consumed', 'withdrawn']);
      const { items } = await approvals.changes({ approvalId: `${to} pending` });
      assert.match(items.at(-1)?.reason ?? '', new RegExp(`run is ${to}`));
      assert.equal((await approvals.decide(`${to} pending`, yes)).status, 'conflict');
    }
    await runs.create(newRun('paused'));
    await approvals.create(createApprovalRequest({ id: 'open', runId: 'paused', requestedAt: midnight }));
    await runs.transition('paused', { from: ['running'], to: 'paused', now: midnight });
    assert.equal((await approvals.get('open'))?.status, 'pending');
  });

  withApprovals('a run that ends ends the live runs below it, and their approvals', async ({ runs, approvals }) => {
    const below = (id: string, parentRunId: string): Promise<unknown> =>
      runs.create(newRun(id, { parentRunId }), { owner: 'one' });
    await runs.create(newRun('parent'), { owner: 'one' });
    await below('running', 'parent');
    await below('paused', 'parent');
    await below('ended', 'parent');
    await below('deep', 'paused');
    await runs.create(newRun('other'), { owner: 'one' });
    await below('of another', 'other');
    for (const runId of ['running', 'deep', 'of another']) {
      await approvals.create(createApprovalRequest({ id: `ask ${runId}`, runId, requestedAt: midnight }));
    }
    const ofParent = whole(await approvals.list({ runId: 'parent' })).map(({ request }) => request.runId);
    assert.deepEqual(ofParent.toSorted(), ['deep', 'running']);
    assert.equal(whole(await approvals.list({ runId: 'deep' })).length, 1);
    await runs.transition('paused', { from: ['running'], to: 'paused', now: midnight });
    await runs.transition('ended', { from: ['running'], to: 'completed', now: midnight });
    await runs.transition('parent', { from: ['running'], to: 'paused', now: midnight });
    assert.equal((await runs.get('running'))?.status, 'running');

    assert.equal(await runs.transition('parent', { from: ['paused'], to: 'failed', now: midnight + 1 }), true);
    const ids = ['running', 'paused', 'ended', 'deep', 'of another'];
    const found = await Promise.all(ids.map((id) => runs.get(id)));
    const expected = ['cancelled', 'cancelled', 'completed', 'cancelled', 'running'];
    assert.deepEqual(
      found.map((run) => run?.status),
      expected,
    );
    const [running] = found;
    assert.match(running?.outcome?.error?.message ?? '', /The run parent, which started this run, is failed/);
    assert.deepEqual([running?.updatedAt, running?.owner], [midnight + 1, undefined]);
    const asked = await Promise.all(['running', 'deep', 'of another'].map((runId) => approvals.get(`ask ${runId}`)));
    assert.deepEqual(
      asked.map((approval) => approval?.status),
      ['withdrawn', 'withdrawn', 'pending'],
    );
    await rejectsWith('E_STATE_CONFLICT', below('late', 'parent'));
    assert.equal(await runs.get('late'), undefined);
  });

  scenario('8 MB of input are kept, 16 MiB of JSON are refused', async ({ runs }) => {
    const input = 'ä'.repeat(4_000_000);
    await runs.create(newRun('run-1', { definition: { kind: 'chain', input } }));
    assert.equal((await runs.get('run-1'))?.definition.input, input);
    const tooLarge = newRun('run-2', { definition: { kind: 'chain', input: 'ä'.repeat(8_400_000) } });
    await rejectsWith('E_STATE_INVALID', runs.create(tooLarge));
  });

  scenario('later changes to arguments or results do not change the store', async ({ runs }) => {
    const details = { step: 1 };
    const created = await runs.create(newRun('run-1', { definition: { kind: 'chain', details } }));
    details.step = 2;
    (created.definition.details as { step: number }).step = 3;
    assert.deepEqual((await runs.get('run-1'))?.definition.details, { step: 1 });
  });

  scenario('runs are listed newest first, by whom and what they belong to', async ({ runs }) => {
    await runs.create(newRun('run-1'));
    await runs.create(newRun('run-2', { sessionId: 'session-2' }));
    await runs.create(newRun('run-3', { parentRunId: 'run-1' }));
    await runs.create(newRun('run-4', { principal: 'bob' }));
    await runs.transition('run-2', { from: ['running'], to: 'paused', now: midnight });
    const ids = async (filter: Parameters<typeof runs.list>[0]): Promise<readonly string[]> =>
      whole(await runs.list(filter)).map(({ id }) => id);
    assert.deepEqual(await ids({}), ['run-4', 'run-3', 'run-2', 'run-1']);
    assert.deepEqual(await ids({ principal: 'ada' }), ['run-3', 'run-2', 'run-1']);
    assert.deepEqual(await ids({ principal: 'ada', status: 'running' }), ['run-3', 'run-1']);
    assert.deepEqual(await ids({ sessionId: 'session-2' }), ['run-2']);
    assert.deepEqual(await ids({ parentRunId: 'run-1' }), ['run-3']);
    assert.deepEqual(await ids({ parentRunId: null, principal: 'ada' }), ['run-2', 'run-1']);
    assert.deepEqual(await ids({ principal: 'eve' }), []);
  });

  scenario('pages give every run once, also when runs are added meanwhile', async ({ runs }) => {
    for (let number = 1; number <= 7; number++) await runs.create(newRun(`run-${number}`));
    const first = await runs.list({}, { limit: 3 });
    await runs.create(newRun('run-8'));
    const rest = await runs.list({}, { limit: 10, ...(first.next === undefined ? {} : { cursor: first.next }) });
    const ids = [...whole(first), ...whole(rest)].map(({ id }) => id);
    assert.deepEqual(ids, ['run-7', 'run-6', 'run-5', 'run-4', 'run-3', 'run-2', 'run-1']);
    assert.equal(rest.next, undefined);
    assert.equal((await allPages((page) => runs.list({}, page), 4)).length, 8);
    assert.equal((await runs.list({}, { limit: 8 })).next, undefined);
    await rejectsWith('E_STATE_INVALID', runs.list({}, { cursor: "1' OR '1'='1" }));
    await rejectsWith('E_STATE_INVALID', runs.list({}, { limit: 0 }));
  });

  scenario('each principal has its own runs, for any text as principal', async ({ runs }) => {
    for (const [index, principal] of principals.entries()) await runs.create(newRun(`run-${index}`, { principal }));
    for (const [index, principal] of principals.entries()) {
      const found = whole(await runs.list({ principal }));
      assert.deepEqual(
        found.map((run) => [run.id, run.principal]),
        [[`run-${index}`, principal]],
      );
    }
  });

  scenario('of many who change a status at once exactly one does', async ({ runs }) => {
    await runs.create(newRun('run-1'));
    const attempts = Array.from({ length: 20 }, (_, index) =>
      runs.transition('run-1', { from: ['running'], to: 'completed', now: midnight + 5, outcome: { result: index } }),
    );
    const winners = (await Promise.all(attempts)).flatMap((hasWon, index) => (hasWon ? [index] : []));
    assert.equal(winners.length, 1);
    const run = await runs.get('run-1');
    assert.deepEqual([run?.status, run?.updatedAt, run?.outcome], ['completed', midnight + 5, { result: winners[0] }]);
  });

  scenario('a status changes only from one of the expected, and a final one stays', async ({ runs }) => {
    await runs.create(newRun('run-1'));
    const move = (from: readonly RunStatus[], to: RunStatus): Promise<boolean> =>
      runs.transition('run-1', { from, to, now: midnight });
    assert.equal(await move(['paused'], 'running'), false);
    assert.equal(await move([], 'failed'), false);
    assert.equal(await move(['running'], 'paused'), true);
    assert.equal(await move(['running', 'paused'], 'cancelled'), true);
    assert.equal(await move(['cancelled'], 'running'), false);
    assert.equal((await runs.get('run-1'))?.status, 'cancelled');
    assert.equal(await runs.transition('run-2', { from: ['running'], to: 'failed', now: midnight }), false);
  });

  needing('processes')('of many who claim a run at once exactly one gets it', async ({ runs, processes }) => {
    await runs.create(newRun('run-1'));
    const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`);
    for (const id of owners) await processes.register({ id, deadAfterMs });
    const claims = await Promise.all(owners.map((owner) => runs.claim('run-1', { owner })));
    const won = owners.filter((_, index) => claims[index] !== undefined);
    assert.equal(won.length, 1);
    assert.equal((await runs.get('run-1'))?.owner, won[0]);
  });
}
