import assert from 'node:assert/strict';
import type { Approval, RecordedDecision, ApprovalTransition, ApprovalStore } from '@ravi/kernel';
import { createApprovalRequest } from '../doubles/test-approvals.ts';
import { allPages, midnight, newRun, principals, rejectsWith, whole } from './state-store-suite.ts';
import type { StateStoreSuite } from './state-store-suite.ts';

const yes: RecordedDecision = { decision: 'approved', approver: 'grace', decidedAt: midnight };
const form = {
  mode: 'form',
  message: 'Who are you?',
  schema: { type: 'object', properties: { name: { type: 'string' } } },
} as const;
const by = { consumer: 'run-1:call-1', now: midnight + 1 };
const request = createApprovalRequest({ requestedAt: midnight, expiresAt: midnight + 1_000 });

function create(approvals: ApprovalStore, id: string, overrides: Partial<typeof request> = {}): Promise<Approval> {
  return approvals.create({ ...request, id, ...overrides });
}

/** Cases about approvals of runs that change their owners. */
export function approvalOwnerCases({ needing }: StateStoreSuite): void {
  const scenario = needing('approvals');
  scenario('a new owner of a run withdraws what its calls asked people, and no request for approval', async (store) => {
    const { approvals, runs } = store;
    const owned = (owner: string) => ({ owner });
    await runs.create(newRun('run-1'), owned('one'));
    await runs.create(newRun('run-2'), owned('one'));
    await create(approvals, 'input', { elicitation: form });
    await create(approvals, 'answered', { elicitation: form });
    await approvals.decide('answered', { ...yes, content: { name: 'Zoë' } });
    await create(approvals, 'permission');
    await create(approvals, 'of another run', { elicitation: form, runId: 'run-2' });
    await runs.claim('run-1', owned('one'));
    assert.equal((await approvals.get('input'))?.status, 'pending');
    await runs.claim('run-1', owned('two'));
    const statuses: unknown[] = [];
    for (const id of ['input', 'answered', 'permission', 'of another run']) {
      statuses.push((await approvals.get(id))?.status);
    }
    assert.deepEqual(statuses, ['withdrawn', 'withdrawn', 'pending', 'pending']);
    const [last] = whole(await approvals.changes({ approvalId: 'input' })).slice(-1);
    assert.deepEqual([last?.from, last?.to], ['pending', 'withdrawn']);
    assert.match(last?.reason ?? '', /process that ran the call has ended/);
  });
}

/** Cases about approvals, their audit log and their feed. */
export function approvalCases({ needing }: StateStoreSuite): void {
  const scenario = needing('approvals');
  scenario('a request is pending until it is answered, and its id is taken once', async ({ approvals }) => {
    const created = await approvals.create(request);
    assert.deepEqual(created, { request, status: 'pending', sequence: created.sequence });
    assert.deepEqual(await approvals.get(request.id), created);
    assert.equal(await approvals.get('other'), undefined);
    await rejectsWith('E_STATE_CONFLICT', approvals.create({ ...request, principal: 'bob' }));
    assert.equal((await approvals.get(request.id))?.request.principal, 'ada');
    assert.equal(whole(await approvals.changes()).length, 1);
  });

  scenario('each decision leads to its status, with everything that was said', async ({ approvals }) => {
    const expected = { approved: 'approved', modified: 'approved', denied: 'denied', skipped: 'denied' } as const;
    for (const [decision, status] of Object.entries(expected)) {
      await create(approvals, decision);
      const answer: RecordedDecision = {
        ...yes,
        decision: decision as keyof typeof expected,
        reason: 'because \u0000 漢字',
        scope: 'run',
        ...(decision === 'modified' ? { modifiedArgs: { path: 'other.md' } } : {}),
      };
      const outcome = await approvals.decide(decision, answer);
      assert.ok(outcome.status === 'done');
      assert.deepEqual([outcome.approval.status, outcome.approval.answer], [status, answer]);
      assert.deepEqual(await approvals.get(decision), outcome.approval);
    }
  });

  scenario(
    'a second answer is a conflict that shows the first, and an answer to nothing is not found',
    async ({ approvals }) => {
      await approvals.create(request);
      await approvals.decide(request.id, yes);
      const second = await approvals.decide(request.id, { ...yes, decision: 'denied', approver: 'eve' });
      assert.ok(second.status === 'conflict');
      assert.deepEqual([second.approval.status, second.approval.answer], ['approved', yes]);
      assert.deepEqual(await approvals.get(request.id), second.approval);
      assert.deepEqual(await approvals.decide('other', yes), { status: 'not-found' });
      assert.deepEqual(await approvals.consume('other', request, by), { status: 'not-found' });
      assert.deepEqual(await approvals.withdraw('other', { now: midnight, reason: 'gone' }), { status: 'not-found' });
    },
  );

  scenario('of many answers at once exactly one counts', async ({ approvals }) => {
    await approvals.create(request);
    const answers = Array.from({ length: 20 }, (_, index) =>
      approvals.decide(request.id, { ...yes, decision: index % 2 === 0 ? 'approved' : 'denied', approver: `${index}` }),
    );
    const done = (await Promise.all(answers)).filter(({ status }) => status === 'done');
    assert.equal(done.length, 1);
    assert.equal(whole(await approvals.changes()).length, 2);
  });

  scenario('an answer at the moment of expiry or later does not count', async ({ approvals }) => {
    await approvals.create(request);
    const late = await approvals.decide(request.id, { ...yes, decidedAt: request.expiresAt });
    assert.equal(late.status, 'conflict');
    assert.equal((await approvals.get(request.id))?.status, 'pending');
    assert.equal((await approvals.decide(request.id, { ...yes, decidedAt: request.expiresAt - 1 })).status, 'done');
  });

  scenario('an answer is consumed once, and keeps its decision and its consumer', async ({ approvals }) => {
    await approvals.create(request);
    assert.equal((await approvals.consume(request.id, request, by)).status, 'conflict');
    await approvals.decide(request.id, yes);
    const attempts = Array.from({ length: 20 }, (_, index) =>
      approvals.consume(request.id, request, { ...by, consumer: `consumer-${index}` }),
    );
    const outcomes = await Promise.all(attempts);
    const winners = outcomes.flatMap((outcome, index) => (outcome.status === 'done' ? [`consumer-${index}`] : []));
    assert.equal(winners.length, 1);
    const consumed = await approvals.get(request.id);
    assert.deepEqual([consumed?.status, consumed?.answer, consumed?.consumer], ['consumed', yes, winners[0]]);
    for (const outcome of outcomes) {
      if (outcome.status === 'conflict') assert.deepEqual(outcome.approval, consumed);
    }
    assert.equal((await approvals.decide(request.id, yes)).status, 'conflict');
  });

  scenario('an answer counts for nothing but what was asked', async ({ approvals }) => {
    await approvals.create(request);
    await approvals.decide(request.id, yes);
    for (const field of ['runId', 'principal', 'tool', 'toolDigest', 'argsDigest'] as const) {
      const outcome = await approvals.consume(request.id, { ...request, [field]: 'other' }, by);
      assert.deepEqual(outcome.status === 'mismatch' && outcome.field, field);
    }
    assert.equal((await approvals.get(request.id))?.status, 'approved');
    assert.equal((await approvals.consume(request.id, request, by)).status, 'done');
  });

  scenario(
    'requests expire at their time, each once, and their expiry is consumed like an answer',
    async ({ approvals }) => {
      await create(approvals, 'early', { expiresAt: midnight + 10 });
      await create(approvals, 'answered', { expiresAt: midnight + 10 });
      await create(approvals, 'late', { expiresAt: midnight + 11 });
      await approvals.decide('answered', yes);
      assert.deepEqual(whole(await approvals.expire(midnight + 9)), []);
      const rounds = await Promise.all([approvals.expire(midnight + 10), approvals.expire(midnight + 10)]);
      const ended = rounds.flatMap(whole);
      assert.deepEqual(
        ended.map((approval) => [approval.request.id, approval.status]),
        [['early', 'expired']],
      );
      assert.equal((await approvals.get('answered'))?.status, 'approved');
      assert.equal((await approvals.get('late'))?.status, 'pending');
      const consumed = await approvals.consume('early', request, by);
      assert.ok(consumed.status === 'done');
      assert.deepEqual([consumed.approval.status, consumed.approval.answer], ['consumed', undefined]);
    },
  );

  scenario(
    'a request that parks stays open after its time, until it is decided or withdrawn',
    async ({ approvals }) => {
      const parks = { expiresAt: midnight + 10, onExpiry: 'park' } as const;
      for (const id of ['approved', 'denied', 'withdrawn', 'covered']) await create(approvals, id, parks);
      await create(approvals, 'expires', { expiresAt: midnight + 10 });
      const rounds = await Promise.all([approvals.expire(midnight + 10), approvals.expire(midnight + 10)]);
      const marked = rounds.flatMap(whole).map(({ request: { id }, status }) => [id, status]);
      const parked = ['approved', 'denied', 'withdrawn', 'covered'].map((id) => [id, 'parked']);
      assert.deepEqual(marked, [...parked, ['expires', 'expired']]);
      assert.deepEqual(whole(await approvals.expire(midnight + 1_000)), []);
      await create(approvals, 'pending', parks);
      const undecided = whole(await approvals.list({ status: 'undecided' })).map((approval) => approval.request.id);
      assert.deepEqual(undecided, ['pending', 'covered', 'withdrawn', 'denied', 'approved']);
      assert.equal((await approvals.consume('approved', request, by)).status, 'conflict');

      const days = midnight + 30 * 86_400_000;
      const decision = { ...yes, decidedAt: days, scope: 'run' } as const;
      assert.equal((await approvals.decide('denied', { ...yes, decidedAt: days, decision: 'denied' })).status, 'done');
      assert.equal((await approvals.withdraw('withdrawn', { now: days, reason: 'cancelled' })).status, 'done');
      assert.equal((await approvals.decide('withdrawn', decision)).status, 'conflict');
      assert.equal((await approvals.decide('approved', decision)).status, 'done');
      const states = ['approved', 'denied', 'withdrawn', 'covered', 'pending', 'expires'];
      const reached = await Promise.all(states.map(async (id) => (await approvals.get(id))?.status));
      assert.deepEqual(reached, ['approved', 'denied', 'withdrawn', 'approved', 'approved', 'expired']);
      assert.equal((await approvals.consume('approved', request, { ...by, now: days })).status, 'done');
      const lines = whole(await approvals.changes({ approvalId: 'approved' }));
      assert.deepEqual(
        lines.map(({ from, to }) => [from, to]),
        [
          [undefined, 'pending'],
          ['pending', 'parked'],
          ['parked', 'approved'],
          ['approved', 'consumed'],
        ],
      );
    },
  );

  scenario('a parked request expires when it is too old, and only if that is asked', async ({ approvals }) => {
    for (const [id, expiresAt] of [
      ['old', midnight + 10],
      ['young', midnight + 11],
    ] as const) {
      await create(approvals, id, { expiresAt, onExpiry: 'park' });
    }
    const statuses = async (): Promise<readonly unknown[]> =>
      Promise.all(['old', 'young'].map(async (id) => (await approvals.get(id))?.status));
    await approvals.expire(midnight + 20);
    await approvals.expire(midnight + 30);
    assert.deepEqual(await statuses(), ['parked', 'parked']);
    const marked = whole(await approvals.expire(midnight + 30, midnight + 10));
    assert.deepEqual(
      marked.map(({ request: { id }, status }) => [id, status]),
      [['old', 'expired']],
    );
    assert.deepEqual(await statuses(), ['expired', 'parked']);
    assert.equal((await approvals.decide('old', { ...yes, decidedAt: midnight + 31 })).status, 'conflict');
    assert.equal((await approvals.consume('old', request, { ...by, now: midnight + 31 })).status, 'done');
  });

  scenario('a withdrawn request can be answered no more', async ({ approvals }) => {
    await approvals.create(request);
    const why = { now: midnight + 5, reason: 'the run was cancelled' };
    const outcome = await approvals.withdraw(request.id, why);
    assert.deepEqual(outcome.status === 'done' && outcome.approval.status, 'withdrawn');
    assert.equal((await approvals.consume(request.id, request, by)).status, 'conflict');
    assert.equal((await approvals.decide(request.id, yes)).status, 'conflict');
    assert.equal((await approvals.withdraw(request.id, why)).status, 'conflict');
    assert.equal(whole(await approvals.changes()).at(-1)?.reason, why.reason);
  });

  scenario('a decision that no call has taken is withdrawn and stays on record, a taken one is not', async (store) => {
    const { approvals } = store;
    const why = { now: midnight + 5, reason: 'the call ended' };
    await create(approvals, 'open');
    await create(approvals, 'taken');
    await approvals.decide('open', yes);
    await approvals.decide('taken', yes);
    await approvals.consume('taken', request, by);
    const outcome = await approvals.withdraw('open', why);
    assert.ok(outcome.status === 'done');
    assert.deepEqual([outcome.approval.status, outcome.approval.answer], ['withdrawn', yes]);
    assert.equal((await approvals.withdraw('taken', why)).status, 'conflict');
  });

  scenario('an approval for the run answers the other requests that it covers, and no other', async ({ approvals }) => {
    await create(approvals, 'asked', { risk: 'high' });
    const others: Readonly<Record<string, Partial<typeof request>>> = {
      parallel: { risk: 'high' },
      lower: { risk: 'safe' },
      critical: { risk: 'critical' },
      'other run': { risk: 'high', runId: 'run-2' },
      'other tool': { risk: 'high', tool: 'other_tool' },
      'other definition': { risk: 'high', toolDigest: 'other' },
      'other principal': { risk: 'high', principal: 'bob' },
    };
    for (const [id, fields] of Object.entries(others)) await create(approvals, id, fields);
    await approvals.decide('asked', { ...yes, scope: 'run' });
    const decided = Object.keys(others).map(async (id) => [id, (await approvals.get(id))?.status]);
    assert.deepEqual(Object.fromEntries(await Promise.all(decided)), {
      parallel: 'approved',
      lower: 'approved',
      critical: 'pending',
      'other run': 'pending',
      'other tool': 'pending',
      'other definition': 'pending',
      'other principal': 'pending',
    });
    assert.equal((await approvals.get('parallel'))?.answer?.approver, 'grace');
  });

  scenario(
    'an approval for the run answers no request for input, and such an answer approves nothing',
    async (store) => {
      const { approvals } = store;
      await create(approvals, 'input', { elicitation: form });
      await create(approvals, 'permission');
      await approvals.decide('permission', { ...yes, scope: 'run' });
      assert.equal((await approvals.get('input'))?.status, 'pending');
      await create(approvals, 'later');
      await approvals.decide('input', { ...yes, content: { name: 'Zoë' }, scope: 'run' });
      assert.equal((await approvals.get('later'))?.status, 'pending');
      assert.deepEqual((await approvals.get('input'))?.answer?.content, { name: 'Zoë' });
      assert.deepEqual((await approvals.get('input'))?.request.elicitation, form);
    },
  );

  scenario('approvals are listed newest first, by principal and by status', async ({ approvals }) => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await create(approvals, id);
    await create(approvals, 'f', { principal: 'bob', runId: 'run-2', sessionId: 'session-2' });
    await approvals.decide('b', yes);
    const ids = async (filter: Parameters<typeof approvals.list>[0]): Promise<readonly string[]> =>
      (await allPages((page) => approvals.list(filter, page), 2)).map((approval) => approval.request.id);
    assert.deepEqual(await ids({}), ['f', 'e', 'd', 'c', 'b', 'a']);
    assert.deepEqual(await ids({ principal: 'ada', status: 'pending' }), ['e', 'd', 'c', 'a']);
    assert.deepEqual(await ids({ runId: 'run-2' }), ['f']);
    assert.deepEqual(await ids({ sessionId: 'session-2' }), ['f']);
    assert.deepEqual(await ids({ status: 'approved' }), ['b']);
    await create(approvals, 'completion_1', { completion: { digest: '0'.repeat(64) } });
    assert.deepEqual(await ids({ isCompletion: true }), ['completion_1']);
    assert.deepEqual(await ids({ isCompletion: false, status: 'undecided' }), ['f', 'e', 'd', 'c', 'a']);
    assert.equal((await ids({})).length, 7);
  });

  scenario(
    'each principal has its own approvals and its own feed, for any text as principal',
    async ({ approvals }) => {
      for (const [index, principal] of principals.entries())
        await create(approvals, `approval-${index}`, { principal });
      for (const [index, principal] of principals.entries()) {
        const [approval, ...others] = whole(await approvals.list({ principal }));
        assert.deepEqual([approval?.request.id, others.length], [`approval-${index}`, 0]);
        const lines = whole(await approvals.changes({ principal }));
        assert.deepEqual(
          lines.map((line) => [line.approvalId, line.principal]),
          [[`approval-${index}`, principal]],
        );
      }
    },
  );

  scenario('the audit log tells every change in its order, with who and why', async ({ approvals }) => {
    await approvals.create(request);
    await approvals.decide(request.id, { ...yes, decision: 'denied', reason: 'too late in the year' });
    await approvals.consume(request.id, request, by);
    const [created, denied, consumed, ...others] = whole(await approvals.changes({ approvalId: request.id }));
    const of = { approvalId: request.id, runId: request.runId, principal: 'ada', tool: request.tool };
    const sequences = [created, denied, consumed].map((line) => line?.sequence ?? NaN);
    assert.deepEqual(
      [created, denied, consumed, ...others],
      [
        { ...of, sequence: sequences[0], to: 'pending', at: midnight },
        {
          ...of,
          sequence: sequences[1],
          from: 'pending',
          to: 'denied',
          at: midnight,
          actor: 'grace',
          reason: 'too late in the year',
        },
        { ...of, sequence: sequences[2], from: 'denied', to: 'consumed', at: by.now, actor: by.consumer },
      ],
    );
    assert.equal(await approvals.lastSequence(), sequences[2]);
    assert.equal((await approvals.get(request.id))?.sequence, sequences[2]);
  });

  scenario('the feed continues after any line, in parts, and gives no number twice', async ({ approvals }) => {
    assert.equal(await approvals.lastSequence(), 0);
    await Promise.all(Array.from({ length: 10 }, (_, index) => create(approvals, `approval-${index}`)));
    await Promise.all(Array.from({ length: 10 }, (_, index) => approvals.decide(`approval-${index}`, yes)));
    const lines: number[] = [];
    for (;;) {
      const part = whole(await approvals.changes({ after: lines.at(-1) ?? 0, limit: 7 }));
      lines.push(...part.map(({ sequence }) => sequence));
      if (part.length < 7) break;
    }
    assert.equal(lines.length, 20);
    assert.deepEqual(
      lines,
      [...new Set(lines)].toSorted((left, right) => left - right),
    );
    assert.equal(lines.at(-1), await approvals.lastSequence());
    assert.deepEqual(whole(await approvals.changes({ after: lines.at(-1) ?? 0 })), []);
    assert.equal(whole(await approvals.changes({ runId: 'run-2' })).length, 0);
  });

  scenario('changing a request or an answer afterwards changes nothing', async ({ approvals }) => {
    const args = { path: 'a.md' };
    await approvals.create({ ...request, args });
    args.path = 'changed';
    const modifiedArgs = { path: 'b.md' };
    const outcome: ApprovalTransition = await approvals.decide(request.id, {
      ...yes,
      decision: 'modified',
      modifiedArgs,
    });
    modifiedArgs.path = 'changed';
    if (outcome.status === 'done') (outcome.approval.request.args as { path: string }).path = 'changed';
    const stored = await approvals.get(request.id);
    assert.deepEqual([stored?.request.args, stored?.answer?.modifiedArgs], [{ path: 'a.md' }, { path: 'b.md' }]);
  });
}
