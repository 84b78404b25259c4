import assert from 'node:assert/strict';
import type { RaviConfig } from '@ravi/host';
import { tokens } from '@ravi/monolith';
import { test } from 'vitest';
import { as, secrets, sha256 } from './support/callers.ts';
import { startServer } from './support/server.ts';
import type { Answer, TestServer } from './support/server.ts';
import { callingModel, untilFired, untilStopped, withTriggers } from './support/triggers.ts';

const files = { 'model.mjs': callingModel };

function start(config: RaviConfig = {}): Promise<TestServer> {
  return startServer(withTriggers({ policy: { maxRiskUnapproved: 'high' }, ...config }), files, { isServer: true });
}

/** Runs the default agent with a task, or another one, and returns the run once it stops. */
async function run(server: TestServer, task: string, more: object = {}, headers = {}): Promise<Answer['body']> {
  const { status, body } = await server.post('/v1/runs', { kind: 'agent', task, ...more }, headers);
  assert.equal(status, 201, JSON.stringify(body));
  return untilStopped(server, body.id, headers);
}

const timer = (task: string, more: object = {}): string => `add_timer|${JSON.stringify({ task, inMs: 0, ...more })}`;

async function triggersOf(server: TestServer, headers = {}): Promise<Answer['body'][]> {
  return (await server.get('/v1/triggers', headers)).body.items;
}

/** Status of the calls of a run, by tool. */
function callsOf({ trace }: Answer['body']): readonly string[] {
  return trace.map(({ tool, status }: Answer['body']) => `${tool} ${status}`);
}

test('an agent wakes itself up, and its run may call the tools that it may call', async () => {
  await using server = await start();
  const first = await run(server, timer('echo|{"word":"hello"}'));
  assert.deepEqual(callsOf(first), ['add_timer ok']);
  const [trigger] = await triggersOf(server);
  assert.deepEqual([trigger.createdByRun, trigger.agent, trigger.sessionId], [first.id, 'ravi', undefined]);
  assert.ok(trigger.permissions.tools.includes('echo') && trigger.permissions.tools.includes('add_timer'));
  const [firing] = await untilFired(server, trigger.id);
  const woken = await untilStopped(server, firing.runId);
  assert.deepEqual([woken.status, callsOf(woken)], ['completed', ['echo ok']]);
  assert.notEqual(woken.sessionId, first.sessionId);
});

test('a schedule of an agent starts it at the next minute', { timeout: 150_000 }, async () => {
  await using server = await start();
  const schedule = { task: 'echo|{"word":"morning"}', cron: '* * * * *', timeZone: 'Asia/Kathmandu' };
  const first = await run(server, `add_schedule|${JSON.stringify(schedule)}`);
  assert.deepEqual(callsOf(first), ['add_schedule ok']);
  const [trigger] = await triggersOf(server);
  assert.deepEqual(trigger.spec, { kind: 'schedule', cron: '* * * * *', timeZone: 'Asia/Kathmandu' });
  const [firing] = await untilFired(server, trigger.id);
  assert.equal(new Date(firing.dueAt).getTime() % 60_000, 0);
  const woken = await untilStopped(server, firing.runId);
  assert.deepEqual([woken.status, callsOf(woken)], ['completed', ['echo ok']]);
});

test('a run that continues the conversation waits until the run before it has ended', async () => {
  await using server = await start();
  const first = await run(server, timer('echo|{}', { continuesConversation: true }));
  const [trigger] = await triggersOf(server);
  const [firing] = await untilFired(server, trigger.id);
  const woken = await untilStopped(server, firing.runId);
  assert.deepEqual([woken.status, woken.sessionId, trigger.sessionId], ['completed', first.sessionId, first.sessionId]);
  const { body } = await server.get(`/v1/sessions/${first.sessionId}/history`);
  assert.equal(body.items.filter(({ message }: Answer['body']) => message.role === 'assistant').length, 4);
});

test('the run of a trigger sets no timer before the shortest interval, nor does its script', async () => {
  await using server = await start();
  const script = `return await tools.add_timer({ task: 'echo|{}', inMs: 0 });`;
  for (const task of [timer('echo|{}'), `tool_chain|${JSON.stringify({ code: script })}`]) {
    const { body } = await server.post('/v1/triggers', { spec: { kind: 'timer', inMs: 0 }, task });
    const [firing] = await untilFired(server, body.id);
    const woken = await untilStopped(server, firing.runId);
    assert.match(woken.outcome.result.text, /no earlier than 1 second from now.*triggers\.minIntervalMs/);
  }
  assert.equal((await triggersOf(server)).filter(({ createdByRun }) => createdByRun !== undefined).length, 0);
});

test('a delegate cannot enter the conversation of its caller with a trigger', async () => {
  const agents: RaviConfig['agents'] = { worker: {} };
  await using server = await start({ agents, agent: { delegates: [{ agent: 'worker' }] } });
  const delegated = (more: object): string =>
    `worker|${JSON.stringify({ task: timer('echo|{}', { inMs: 60_000, ...more }) })}`;
  const refused = await run(server, delegated({ continuesConversation: true }));
  assert.match(JSON.stringify(refused), /delegated.*continuesConversation/);
  assert.deepEqual(await triggersOf(server), []);
  // A conversation of its own is allowed.
  await run(server, delegated({}));
  const [trigger, ...others] = await triggersOf(server);
  assert.deepEqual([trigger.agent, trigger.sessionId, others], ['worker', undefined, []]);
});

test('adding a trigger needs approval under the default policy, and nothing is added before it', async () => {
  await using server = await start({ policy: {} });
  const { body } = await server.post('/v1/runs', { kind: 'agent', task: timer('echo|{}') });
  const paused = await untilStopped(server, body.id);
  assert.deepEqual([paused.status, await triggersOf(server)], ['paused', []]);
  const { items } = (await server.get('/v1/approvals?status=pending')).body;
  assert.equal(items[0].tool, 'add_timer');
  assert.match(JSON.stringify(items[0]), /Start a run in 0 s: echo/);
  await server.post(`/v1/approvals/${items[0].id}/decision`, { decision: 'approved' });
  while ((await triggersOf(server)).length === 0) await untilStopped(server, body.id);
  const [trigger] = await triggersOf(server);
  assert.equal(trigger.permissions.maxRiskUnapproved, 'safe');
});

test('people are not asked about a trigger whose times are not valid', async () => {
  await using server = await start({ policy: {} });
  for (const [tool, times, message] of [
    ['add_schedule', { cron: 'every day' }, /every day/],
    ['add_schedule', { cron: '0 9 * * *', timeZone: 'Europe/Nowhere' }, /Nowhere/],
    ['add_schedule', { cron: '0 0 30 2 *' }, /no time that ever comes/],
    ['add_timer', { at: '2999-01-01T00:00:00Z', inMs: 5 }, /not both/],
    ['add_timer', { at: '2001-01-01T00:00:00Z' }, /has passed/],
    ['add_timer', { inMs: 1e12 }, /triggers\.maxAheadDays/],
  ] as const) {
    const stopped = await run(server, `${tool}|${JSON.stringify({ task: 'echo|{}', ...times })}`);
    assert.deepEqual([stopped.status, callsOf(stopped)], ['completed', [`${tool} error`]], JSON.stringify(times));
    assert.match(JSON.stringify(stopped), message);
  }
  assert.deepEqual((await server.get('/v1/approvals')).body.items, []);
});

test('a trigger has the tools of the run that added it', async () => {
  const agents: RaviConfig['agents'] = { narrow: { tools: { allow: ['add_timer', 'echo'] } } };
  await using server = await start({ agents });
  const first = await run(server, timer('launch|{"target":"moon"}'), { agent: 'narrow' });
  const [trigger] = await triggersOf(server);
  assert.deepEqual([trigger.agent, trigger.createdByRun], ['narrow', first.id]);
  const { tools } = trigger.permissions;
  assert.ok(tools.includes('echo') && tools.includes('add_timer') && !tools.includes('launch'), tools.join());
  const [firing] = await untilFired(server, trigger.id);
  assert.deepEqual(callsOf(await untilStopped(server, firing.runId)), ['launch denied']);
  assert.deepEqual(await server.installation.launches(), []);
});

test('tools and roles that are taken away later are taken from triggers that exist', async () => {
  const token = { principal: 'ada', tokenSha256: sha256(secrets.ada), roles: ['run'] as const, toolRole: 'pilot' };
  const root = { principal: 'root', tokenSha256: sha256(secrets.root), roles: ['admin'] as const };
  const roles = { pilot: { deny: ['detonate'] } };
  await using server = await start({ server: { tokens: [token, root] }, toolAccess: { roles } });
  const ada = as('ada');
  const add = async (task: string): Promise<Answer['body']> => {
    const spec = { kind: 'timer', inMs: 1_000 };
    return (await server.post('/v1/triggers', { spec, task }, ada)).body;
  };
  const trigger = await add('launch|{"target":"moon"}');
  assert.equal(trigger.permissions.toolRole, 'pilot');
  assert.ok(trigger.permissions.tools.includes('launch') && !trigger.permissions.tools.includes('detonate'));
  const toolAccess = server.monolith.container.resolve(tokens.toolAccess);
  toolAccess.replace({ server: { tokens: [token, root] }, toolAccess: { roles: { pilot: { deny: ['launch'] } } } });
  const [firing] = await untilFired(server, trigger.id, ada);
  assert.deepEqual(callsOf(await untilStopped(server, firing.runId, ada)), ['launch error']);

  // A wider role gives nothing to a trigger that exists, nor to one that its run adds.
  const second = await add(timer('launch|{}', { inMs: 1_000 }));
  assert.ok(!second.permissions.tools.includes('launch'));
  toolAccess.replace({ server: { tokens: [token, root] }, toolAccess: { roles: { pilot: {} } } });
  const [widened] = await untilFired(server, second.id, ada);
  assert.deepEqual(callsOf(await untilStopped(server, widened.runId, ada)), ['add_timer ok']);
  const inner = (await triggersOf(server, ada)).find(({ createdByRun }) => createdByRun === widened.runId);
  const [innerFiring] = await untilFired(server, inner.id, ada);
  assert.deepEqual(callsOf(await untilStopped(server, innerFiring.runId, ada)), ['launch denied']);

  const third = await add('echo|{}');
  toolAccess.replace({ server: { tokens: [root] }, toolAccess: { roles: { pilot: {} } } });
  const [refused] = await untilFired(server, third.id, as('root'));
  assert.deepEqual([refused.status, refused.error.code], ['failed', 'E_FORBIDDEN']);
  assert.deepEqual(await server.installation.launches(), []);
});

test('a caller lists and cancels its own triggers with the tools, also from a script', async () => {
  await using server = await start();
  const script = `
    const { id } = await tools.add_schedule({ task: 'work', cron: '0 9 * * *', timeZone: 'Europe/Berlin' });
    const { triggers } = await tools.list_triggers({});
    const { status } = await tools.cancel_trigger({ id });
    return { listed: triggers.map((each) => each.waitsFor), status, left: (await tools.list_triggers({})).triggers.length };`;
  const { body } = await server.chain(script);
  assert.deepEqual(body.value, { listed: ['0 9 * * * in Europe/Berlin'], status: 'cancelled', left: 0 });
  const call = async (tool: string, args: object) => (await server.post(`/v1/tools/${tool}`, { args })).body;
  assert.match((await call('cancel_trigger', { id: 'trigger_x' })).error.message, /You have no trigger "trigger_x"/);
  assert.match((await call('add_schedule', { task: 'x', cron: '0 25 * * *' })).error.message, /hour: 25/);
  assert.match((await call('add_timer', { task: 'x', everyMs: 500 })).error.message, /shortest interval is 1 second/);
  assert.match((await call('watch_channel', { task: 'x', channel: '../news' })).error.message, /channel/);
});

test('an agent wakes up for messages that others send to a channel from then on, and not for its own', async () => {
  await using server = await start();
  const send = async (message: string): Promise<void> => {
    const sent = await server.post('/v1/channels/news/messages', { message });
    assert.ok(sent.status < 300, JSON.stringify(sent.body));
  };
  await send('before');
  const task = `watch_channel|${JSON.stringify({ channel: 'news', task: 'echo|{}' })}`;
  assert.deepEqual(callsOf(await run(server, task)), ['watch_channel ok']);
  const [trigger] = await triggersOf(server);
  await send('hello "agent"');
  const [firing] = await untilFired(server, trigger.id);
  const woken = await untilStopped(server, firing.runId);
  assert.deepEqual([woken.status, callsOf(woken)], ['completed', ['echo ok']]);
  assert.match(firing.input, /for a message in the channel "news".*\n\{"from":"[^"]+","text":"hello \\"agent\\""\}$/);
  assert.doesNotMatch(firing.input, /before/);
});

test('without a state store the tools say what to configure', async () => {
  await using server = await startServer(withTriggers({ policy: { maxRiskUnapproved: 'high' } }), files, {
    plugins: { approvalHandler: { use: '@ravi/approval-auto', rules: [] } },
  });
  const { body } = await server.post('/v1/tools/add_timer', { args: { task: 'x', inMs: 1_000 } });
  assert.deepEqual([body.error.code, /plugins\.stateStore/.test(body.error.message)], ['E_UNSUPPORTED', true]);
  assert.equal((await server.get('/v1/triggers')).status, 501);
});
