import assert from 'node:assert/strict';
import type { JsonObject, TriggerRequest } from '@ravi/kernel';
import { createToolContext, runTool } from '@ravi/testkit';
import { pluginContract } from '@ravi/testkit/plugin';
import { toolContract } from '@ravi/testkit/tool';
import { test } from 'vitest';
import plugin from '../src/index.ts';
import { createTestTriggers, openTools } from './triggers-double.ts';

pluginContract(test, plugin, {});

const samples: Readonly<Record<string, JsonObject>> = {
  add_timer: { task: 'look', inMs: 60_000 },
  add_schedule: { task: 'look', cron: '@daily' },
  watch_channel: { task: 'look', channel: 'news' },
  list_triggers: {},
  cancel_trigger: { id: 'run-1/call-1' },
};

for (const [name, sample] of Object.entries(samples)) {
  const triggers = createTestTriggers();
  const toolOf = await openTools(triggers);
  await toolOf('add_timer').execute({ task: 'known', inMs: 1_000 }, createToolContext());
  toolContract(test, toolOf(name), sample);

  test(`${name} without a state store says what to configure`, async () => {
    const tool = (await openTools(undefined))(name);
    const { result } = await runTool(tool, sample);
    assert.deepEqual([result.status, result.error?.code], ['error', 'E_UNSUPPORTED']);
    assert.match(result.error?.message ?? '', /state store.*plugins\.stateStore/);
  });

  test(`${name} of a cancelled call does nothing`, async () => {
    const signal = AbortSignal.abort();
    const before = triggers.asked.length;
    if (name === 'list_triggers') return;
    await assert.rejects(toolOf(name).execute(sample, createToolContext({ signal })), /cancelled/);
    assert.equal(triggers.asked.length, before);
  });
}

for (const { name, args, spec, more } of [
  { name: 'add_timer', args: { inMs: 1_500 }, spec: { kind: 'timer', inMs: 1_500 } },
  {
    name: 'add_timer',
    args: { at: '2026-12-24T18:00:00+01:00', everyMs: 3_600_000, misfire: 'all' },
    spec: { kind: 'timer', at: Date.UTC(2026, 11, 24, 17), everyMs: 3_600_000 },
    more: { misfire: 'all' },
  },
  {
    name: 'add_schedule',
    args: { cron: '30 9 * * MON-FRI', timeZone: 'Europe/Berlin', continuesConversation: true },
    spec: { kind: 'schedule', cron: '30 9 * * MON-FRI', timeZone: 'Europe/Berlin' },
    more: { continuesConversation: true },
  },
  { name: 'watch_channel', args: { channel: 'news' }, spec: { kind: 'channel', channel: 'news' } },
] as const) {
  test(`${name} with ${JSON.stringify(args)} asks for that trigger, once per key`, async () => {
    const triggers = createTestTriggers();
    const tool = (await openTools(triggers))(name);
    const context = createToolContext({ idempotencyKey: 'key' });
    const results = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      results.push(await tool.execute({ task: 'Look at the news', ...args }, context));
    }
    const expected: TriggerRequest = { spec, input: 'Look at the news', continuesConversation: false, ...more };
    assert.deepEqual(triggers.asked[0]?.request, expected);
    assert.equal(triggers.asked[0]?.context, context);
    assert.deepEqual(results[0], results[1]);
    assert.equal(triggers.all.length, 1);
  });
}

/** Value of a result of any of the tools. */
interface Called {
  readonly status: string;
  readonly triggers: readonly { readonly task: string }[];
  readonly next: string;
}

const bad: readonly (readonly [string, JsonObject])[] = [
  ['add_timer', {}],
  ['add_timer', { task: 7, inMs: 1_000 }],
  ['add_timer', { task: '', inMs: 1_000 }],
  ['add_timer', { task: 'x'.repeat(100_001), inMs: 1_000 }],
  ['add_timer', { task: 'x', inMs: '1' }],
  ['add_timer', { task: 'x', inMs: -1_000 }],
  ['add_timer', { task: 'x', inMs: 1e300 }],
  ['add_timer', { task: 'x', everyMs: 0 }],
  ['add_timer', { task: 'x', at: 'tomorrow' }],
  ['add_timer', { task: 'x', at: '2026-12-24T18:00:00' }],
  ['add_timer', { task: 'x', at: '2026-13-45T99:00:00Z' }],
  ['add_timer', { task: 'x', inMs: 1_000, misfire: 'never' }],
  ['add_timer', { task: 'x', inMs: 1_000, agent: 'other' }],
  ['add_schedule', { task: 'x' }],
  ['add_schedule', { task: 'x', cron: ['@daily'] }],
  ['add_schedule', { task: 'x', cron: '' }],
  ['add_schedule', { task: 'x', cron: '*'.repeat(1_001) }],
  ['watch_channel', { task: 'x' }],
  ['watch_channel', { task: 'x', channel: { $artifact: 'blob_1' } }],
  ['watch_channel', { task: 'x', channel: 'news: nothing' }],
  ['watch_channel', { task: 'x', channel: 'c'.repeat(101) }],
  ['list_triggers', { status: 'lost' }],
  ['list_triggers', { principal: 'bob' }],
  ['cancel_trigger', {}],
  ['cancel_trigger', { id: '' }],
  ['cancel_trigger', { id: 'i'.repeat(201) }],
];
for (const [name, args] of bad) {
  test(`${name} refuses ${JSON.stringify(args).slice(0, 60)} before anything happens`, async () => {
    const triggers = createTestTriggers();
    const { result } = await runTool((await openTools(triggers))(name), args);
    assert.equal(result.status, 'error', result.text);
    assert.match(String(result.error?.code), /^E_(?:ARGUMENTS_INVALID|BLOB_NOT_FOUND|LIMIT_)/);
    assert.deepEqual(triggers.asked, []);
  });
}

test('adding and cancelling are high risk, and the summary says when and what', async () => {
  const toolOf = await openTools(createTestTriggers());
  const summaries = Object.entries({
    add_timer: { task: 'Look\n at   the news', inMs: 60_000, everyMs: 3_600_000 },
    add_schedule: { task: 'x'.repeat(500), cron: '0 9 * * *' },
    watch_channel: { task: 'answer', channel: 'news', continuesConversation: true },
    cancel_trigger: { id: 'trigger_1' },
  }).map(([name, args]) => toolOf(name).classifyRisk?.(args));
  assert.deepEqual(
    summaries.map((assessment) => assessment?.risk),
    ['high', 'high', 'high', 'high'],
  );
  assert.deepEqual(
    summaries.map((assessment) => assessment?.summary?.slice(0, 92)),
    [
      'Start a run in 60 s, then every 3600 s: Look at the news',
      `Start a run at "0 9 * * *" in "UTC": ${'x'.repeat(55)}`,
      'Start a run that continues the conversation for each message in the channel "news": answer',
      'Cancel the trigger trigger_1',
    ],
  );
  assert.equal(toolOf('list_triggers').risk, 'safe');
});

test('people are not asked about a timer whose times exclude each other or do not exist', async () => {
  const triggers = createTestTriggers();
  const tool = (await openTools(triggers))('add_timer');
  for (const [times, message] of [
    [{ at: '2027-01-01T00:00:00Z', inMs: 1_000 }, /"at" or "inMs", not both/],
    [{ at: '2027-02-30T25:00:00Z' }, /which no calendar has/],
  ] as const) {
    const { result, approvals } = await runTool(tool, { task: 'look', ...times });
    assert.equal(result.error?.code, 'E_ARGUMENTS_INVALID');
    assert.match(result.error?.message ?? '', message);
    assert.deepEqual(approvals, []);
  }
  const asked = await runTool(tool, { task: 'look', inMs: 1_000 }, { approves: false });
  assert.deepEqual([asked.result.error?.code, asked.approvals.length], ['E_APPROVAL_DENIED', 1]);
  assert.deepEqual(triggers.asked, []);
});

test('no value of a trigger can pose as the rest of a summary', async () => {
  const toolOf = await openTools(createTestTriggers());
  const forged = 'UTC: nothing\nNext line';
  const shown = (name: string, args: JsonObject): string | undefined =>
    toolOf(name).classifyRisk?.({ task: 'real', ...args }).summary;
  const quoted = JSON.stringify(forged);
  assert.equal(
    shown('add_schedule', { cron: forged, timeZone: forged }),
    `Start a run at ${quoted} in ${quoted}: real`,
  );
  assert.equal(
    shown('watch_channel', { channel: forged }),
    `Start a run for each message in the channel ${quoted}: real`,
  );
  assert.ok((shown('add_schedule', { cron: '*'.repeat(1_000) })?.length ?? 0) < 200);
});

test('a list shows the triggers of the principal in pages, and a cancelled one only if asked for', async () => {
  const triggers = createTestTriggers();
  const toolOf = await openTools(triggers);
  const call = async (name: string, args: JsonObject, principal = 'ada'): Promise<Called> => {
    const context = createToolContext({ principal, idempotencyKey: `${principal}-${triggers.asked.length}` });
    return (await toolOf(name).execute(args, context)).structuredContent as unknown as Called;
  };
  for (let index = 0; index < 101; index++) await call('add_timer', { task: `task ${index}`, inMs: 60_000 });
  await call('add_timer', { task: 'of bob', inMs: 60_000 }, 'bob');
  const first = await call('list_triggers', {});
  assert.equal(first.triggers.length, 100);
  const second = await call('list_triggers', { cursor: first.next });
  assert.deepEqual(
    second.triggers.map(({ task }) => task),
    ['task 100'],
  );
  assert.equal((await call('cancel_trigger', { id: 'ada-0' })).status, 'cancelled');
  assert.equal((await call('list_triggers', { status: 'cancelled' })).triggers.length, 1);
  await assert.rejects(call('cancel_trigger', { id: 'bob-101' }), /no trigger/);
});
