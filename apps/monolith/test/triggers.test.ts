import assert from 'node:assert/strict';
import { test } from 'vitest';
import { as, startSecuredServer } from './support/callers.ts';
import { startServer } from './support/server.ts';
import type { Answer } from './support/server.ts';
import { callingModel, untilFired, untilStopped, withTriggers } from './support/triggers.ts';

test('a timer over HTTP starts a run of its caller, with the task and why it was started', async () => {
  await using server = await startServer(withTriggers(), { 'model.mjs': callingModel }, { isServer: true });
  const created = await server.post('/v1/triggers', { spec: { kind: 'timer', inMs: 0 }, task: 'look around' });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { id } = created.body;
  const [firing] = await untilFired(server, id);
  assert.deepEqual([firing.status, firing.error], ['started', undefined]);
  const run = await untilStopped(server, firing.runId);
  assert.deepEqual([run.status, run.principal], ['completed', 'local']);
  assert.match(run.task, new RegExp(`^look around\\n\\n\\[Started by the timer, trigger ${id}, for 2`));
  const { body } = await server.get(`/v1/triggers/${id}`);
  assert.deepEqual([body.status, body.missed, body.nextDueAt], ['ended', 0, undefined]);
});

test('bad requests name what is wrong and its limit', async () => {
  await using server = await startServer({ triggers: { maxPerPrincipal: 1 } }, {}, { isServer: true });
  const task = 'work';
  for (const [body, status, message] of [
    [{}, 400, /spec/],
    [{ spec: { kind: 'timer', inMs: 1 } }, 400, /task/],
    [{ spec: { kind: 'timer', inMs: 1 }, task: '' }, 400, /task/],
    [{ spec: { kind: 'timer', inMs: 1 }, task: ' \n' }, 400, /must not be empty/],
    [{ spec: { kind: 'timer', inMs: '1' }, task }, 400, /"spec\.inMs" must be/],
    [{ spec: { kind: 'timer', inMs: -1 }, task }, 400, /"spec\.inMs"/],
    [{ spec: { kind: 'timer', inMs: 1, cron: '* * * * *' }, task }, 400, /"spec\.cron" does not belong to a timer/],
    [{ spec: { kind: 'schedule' }, task }, 400, /"spec\.cron" is missing/],
    [{ spec: { kind: 'channel' }, task }, 400, /"spec\.channel" is missing/],
    [{ spec: { kind: 'channel', channel: '../x' }, task }, 400, /No channel can have the name/],
    [{ spec: { kind: 'timer' }, task }, 400, /"at", "inMs" or "everyMs"/],
    [{ spec: { kind: 'timer', at: 1_000 }, task }, 400, /1970-01-01.* has passed/],
    [{ spec: { kind: 'timer', inMs: 1e14 }, task }, 400, /366 days/],
    [{ spec: { kind: 'timer', inMs: 1e300 }, task }, 400, /spec|time/],
    [{ spec: { kind: 'timer', everyMs: 1_000 }, task }, 400, /shortest interval is 1 minute/],
    [{ spec: { kind: 'schedule', cron: '0 9 * *' }, task }, 400, /4 fields/],
    [{ spec: { kind: 'schedule', cron: '0 9 * * *', timeZone: 'Berlin' }, task }, 400, /Europe\/Berlin/],
    [{ spec: { kind: 'moon', phase: 'full' }, task }, 400, /"phase" is not a known key/],
    [{ spec: { kind: 'timer', inMs: 1 }, task, agent: 'rabi' }, 404, /Did you mean ravi/],
    [{ spec: { kind: 'timer', inMs: 1 }, task, misfire: 'never' }, 400, /misfire/],
    [{ spec: { kind: 'timer', inMs: 1 }, task, principal: 'eve' }, 400, /principal/],
    [{ spec: { kind: 'timer', inMs: 1 }, task: 'x'.repeat(100_001) }, 400, /100000/],
  ] as const) {
    const refused = await server.post('/v1/triggers', body);
    assert.equal(refused.status, status, JSON.stringify([body, refused.body]).slice(0, 300));
    assert.match(refused.body.error.message, message);
  }
  assert.deepEqual((await server.get('/v1/triggers')).body.items, []);
  const spec = { kind: 'timer', inMs: 3_600_000 };
  const first = await server.post('/v1/triggers', { spec, task });
  const second = await server.post('/v1/triggers', { spec, task });
  assert.deepEqual([second.status, second.body.error.code], [429, 'E_BUDGET_EXHAUSTED']);
  assert.match(second.body.error.message, /1 active triggers, the maximum \(triggers\.maxPerPrincipal\)/);
  assert.equal((await server.post(`/v1/triggers/${first.body.id}/cancel`, {})).body.status, 'cancelled');
  assert.equal((await server.post('/v1/triggers', { spec, task })).status, 201);
});

test('a request that is repeated with its key creates one trigger', async () => {
  await using server = await startServer({}, {}, { isServer: true });
  const body = { spec: { kind: 'timer', inMs: 3_600_000 }, task: 'work' };
  const send = () => server.post('/v1/triggers', body, { 'idempotency-key': 'once' });
  const answers = await Promise.all([send(), send(), send()]);
  assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1);
  assert.equal((await server.get('/v1/triggers')).body.items.length, 1);
});

test('callers see and cancel their own triggers, and admins all', async () => {
  await using server = await startSecuredServer();
  const body = { spec: { kind: 'schedule', cron: '0 9 * * *', timeZone: 'Europe/Berlin' }, task: 'work' };
  const { id } = (await server.post('/v1/triggers', body, as('ada'))).body;
  assert.deepEqual((await server.get('/v1/triggers', as('bob'))).body.items, []);
  for (const path of [`/v1/triggers/${id}`, `/v1/triggers/${id}/cancel`]) {
    const refused = path.endsWith('cancel')
      ? await server.post(path, {}, as('bob'))
      : await server.get(path, as('bob'));
    assert.deepEqual([refused.status, refused.body.error.code], [404, 'E_TRIGGER_UNKNOWN']);
  }
  const filtered = await server.get('/v1/triggers?status=active&kind=schedule', as('ada'));
  assert.deepEqual(
    filtered.body.items.map((item: Answer['body']) => item.id),
    [id],
  );
  assert.deepEqual((await server.get('/v1/triggers?kind=timer', as('ada'))).body.items, []);
  const cancelled = await server.post(`/v1/triggers/${id}/cancel`, {}, as('root'));
  assert.deepEqual([cancelled.status, cancelled.body.status], [202, 'cancelled']);
  const again = await server.post(`/v1/triggers/${id}/cancel`, {}, as('ada'));
  assert.deepEqual([again.status, again.body.version], [202, cancelled.body.version]);
});
