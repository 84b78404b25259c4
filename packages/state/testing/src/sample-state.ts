import assert from 'node:assert/strict';
import type { ApprovalRequest, JournalEntry, CompleteStateStore, NewTrigger } from '@ravi/kernel';

const start = 1_767_225_600_000;
const owner = { principal: 'ada', sessionId: 'session-1', createdAt: start };
const mail = {
  callId: 'call-1',
  tool: 'mail',
  caller: 'chain',
  argsDigest: 'hmac-sha256:1',
  argsPreview: '{}',
} as const;

const entry: JournalEntry = {
  runId: 'run-1',
  sessionId: 'session-1',
  idempotencyKey: 'run-1:call-1',
  position: 1,
  toolDigest: 'digest-1',
  record: { ...mail, status: 'started', startedAt: start, durationMs: 0 },
};

const request: ApprovalRequest = {
  id: 'approval-1',
  runId: 'run-1',
  sessionId: 'session-1',
  callId: 'call-2',
  principal: 'ada',
  tool: 'mail',
  description: "Sends a mail, that's all",
  risk: 'high',
  args: { to: 'grace@example.org' },
  argsDigest: 'hmac-sha256:2',
  toolDigest: 'digest-1',
  requestedAt: start,
  expiresAt: start + 60_000,
};

const message = { from: 'reviewer', principal: 'ada', message: { text: "It's done" }, sentAt: start } as const;
const trigger: NewTrigger = {
  id: 'trigger-1',
  principal: 'ada',
  agent: 'assistant',
  spec: { kind: 'timer', at: start },
  input: "What's new?",
  permissions: { tools: ['mail'], maxRiskUnapproved: 'safe' },
  misfire: 'once',
  createdAt: start,
};

/** Writes sample data to every part of an empty store. */
export async function writeSampleState({
  runs,
  processes,
  journal,
  approvals,
  jobs,
  history,
  snippets,
  memories,
  channels,
  leases,
}: CompleteStateStore): Promise<void> {
  const definition = {
    kind: 'chain',
    code: "return tools.mail({ to: 'grace' }) // 漢字",
    language: 'javascript',
  } as const;
  await processes.register({ id: 'process-1', deadAfterMs: 1, address: 'http://10.0.0.7:7341', version: '1.0.0' });
  await runs.create({ ...owner, id: 'run-1', definition }, { owner: 'process-1' });
  await runs.create({ ...owner, id: 'run-2', parentRunId: 'run-1', definition });
  await runs.transition('run-2', {
    from: ['running'],
    to: 'completed',
    now: start + 5,
    outcome: { result: [1, null] },
  });
  await journal.started(entry);
  await journal.finished(entry, { status: 'ok', text: "it's sent", files: [] });
  await journal.observed({ runId: 'run-1', position: 2, kind: 'now', value: start });
  await journal.started({ ...entry, idempotencyKey: 'run-1:call-3', position: 3 });
  await approvals.create(request);
  await approvals.create({ ...request, id: 'approval-2' });
  await approvals.decide('approval-2', { decision: 'approved', approver: 'grace', decidedAt: start + 1 });
  await jobs.create({ ...owner, id: 'job-1', runId: 'run-1', kind: 'crawl', input: { pages: 3 } });
  await jobs.update('job-1', 1, { status: 'running', progress: 1, now: start + 2 });
  await history.append([{ ...owner, message: { role: 'user', content: [{ type: 'text', text: "What's new?" }] } }]);
  await snippets.put({
    name: 'report',
    principal: 'ada',
    description: 'Reports',
    code: 'return 1',
    language: 'javascript',
    tools: [{ name: 'mail', digest: 'digest-1' }],
    createdAt: start,
    sourceRunId: 'run-1',
  });
  await memories.add({ id: 'memory-1', principal: 'ada', text: "Grace's tea is green", createdAt: start });
  await channels.append({ channel: 'news', principal: 'ada' }, { ...message, id: 'message-1' });
  await channels.take({ channel: 'news', principal: 'ada' }, { reader: 'reviewer', key: 'call-1' });
  await leases.acquire('maintenance', { owner: 'process-1', forMs: 1 });
}

/** Asserts that a store holds the data of {@link writeSampleState} and continues to use it. */
export async function checkSampleState({
  runs,
  journal,
  events,
  approvals,
  jobs,
  history,
  snippets,
  values,
  memories,
  channels,
  triggers,
  rates,
  cancellations,
  leases,
}: CompleteStateStore): Promise<void> {
  const run = await runs.get('run-1');
  assert.deepEqual([run?.owner, run?.epoch], ['process-1', 1]);
  const children = await runs.list({ parentRunId: 'run-1' });
  assert.deepEqual(
    children.items.map(({ id, status, outcome }) => ({ id, status, outcome })),
    [{ id: 'run-2', status: 'completed', outcome: { result: [1, null] } }],
  );
  const entries = await journal.entries('run-1');
  assert.deepEqual(
    entries.items.map((item) => (item.type === 'event' ? item.event.value : item.status)),
    ['finished', start, 'started'],
  );
  const written = { n: 1, at: start, type: 'console', data: { text: '漢字' } };
  await events.append('run-1', { owner: 'process-1', epoch: 1 }, [written]);
  assert.deepEqual((await events.list('run-1')).items, [{ epoch: 1, ...written }]);
  const changes = await approvals.changes();
  assert.deepEqual(
    changes.items.map(({ approvalId, to }) => [approvalId, to]),
    [
      ['approval-1', 'pending'],
      ['approval-2', 'pending'],
      ['approval-2', 'approved'],
    ],
  );
  const consumed = await approvals.consume('approval-2', request, { consumer: 'call-2', now: start + 3 });
  assert.equal(consumed.status, 'done');
  assert.ok((await approvals.lastSequence()) > (changes.items.at(-1)?.sequence ?? NaN));
  assert.deepEqual((await jobs.list({ runId: 'run-1' })).items[0]?.progress, 1);
  const [added] = await history.append([{ ...owner, message: { role: 'assistant', content: [] } }]);
  assert.equal(added?.number, 2);
  assert.equal((await history.read('ada', 'session-1')).items.length, 2);
  assert.equal((await snippets.get('ada', 'report'))?.code, 'return 1');
  assert.ok(await values.put({ area: 'area-1', principal: 'ada', key: 'key-1' }, start, { ifRevision: 0 }));
  // Databases of before version 14 have none.
  const remembered = await memories.list('ada');
  assert.equal((await memories.search('ada', 'GREEN')).length, remembered.items.length);
  await memories.add({ id: 'memory-2', principal: 'ada', text: 'Grace knits', createdAt: start });
  assert.equal((await memories.search('ada', 'grace')).length, remembered.items.length + 1);
  const news = { channel: 'news', principal: 'ada' };
  const told = await channels.read(news);
  await channels.append(news, { ...message, id: 'message-2' });
  assert.equal((await channels.take(news, { reader: 'reviewer', key: 'call-2' })).items.length, 1);
  assert.equal((await channels.read(news)).items.length, told.items.length + 1);
  assert.ok((await triggers.add(trigger, { maxActive: 1 }))?.isNew);
  assert.equal(await rates.charge({ limit: 'requests', client: 'ada', amount: 1, perMinute: 100 }), undefined);
  assert.ok(await cancellations.request({ runId: 'run-1', requestedAt: start }));
  assert.ok(await leases.acquire('maintenance', { owner: 'process-2', forMs: 60_000 }));
  await runs.create({ ...owner, id: 'run-3', parentRunId: 'run-1', definition: { kind: 'chain' } });
  assert.equal((await runs.list({ parentRunId: 'run-1' })).items.length, 2);
  // Its process ended long ago, whether it had a record or a lease.
  assert.ok((await runs.listFree()).items.some(({ id }) => id === 'run-1'));
  assert.equal((await runs.claim('run-1', { owner: 'process-2' }))?.epoch, 2);
}
