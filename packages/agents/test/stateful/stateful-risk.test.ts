import assert from 'node:assert/strict';
import type { JsonObject, StandardSchema, Tool } from '@ravi/kernel';
import { approveAll, createTestApprovals, createTestBlobs, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { defineStatefulTool } from '../../src/index.ts';
import type { StatefulToolDefinition } from '../../src/index.ts';
import { createHarness } from '../support/harness.ts';
import type { Harness } from '../support/harness.ts';

type Definition = StatefulToolDefinition<JsonObject>;

/** Transfers money once the model has confirmed it; `done` records the transfers. */
function createWire(more: Partial<Definition> = {}): { readonly tools: readonly Tool[]; readonly done: unknown[] } {
  const done: unknown[] = [];
  const tools = defineStatefulTool({
    name: 'wire',
    description: 'Transfers money.',
    risk: 'safe',
    inputSchema: { type: 'object', properties: { cents: { type: 'integer' } } },
    classifyRisk: ({ cents }) => ({ risk: (cents as number) > 100 ? 'critical' : 'safe' }),
    async *execute({ cents }: JsonObject) {
      const answer = yield 'Sure?';
      done.push([cents, answer]);
      return 'sent';
    },
    ...more,
  } satisfies Definition);
  return { tools, done };
}

async function begin({ call }: Pick<Harness, 'call'>, args: JsonObject, name = 'wire'): Promise<string> {
  const { structured } = await call(name, args);
  return (structured as { readonly id: string }).id;
}

test('a continuation is classified by the arguments of the start, and the approver sees them', async () => {
  const { tools, done } = createWire();
  const approvalHandler = approveAll();
  const harness = createHarness(tools, { approvalHandler });
  const id = await begin(harness, { cents: 999 });
  await harness.call('wire_continue', { id, input: 'yes' });
  assert.deepEqual(done, [[999, 'yes']]);
  assert.deepEqual(
    approvalHandler.requests.map(({ tool, risk, args, summary }) => [tool, risk, args, summary]),
    [
      ['wire', 'critical', { cents: 999 }, undefined],
      [
        'wire_continue',
        'critical',
        { id, input: 'yes' },
        `Continues ${id}, which was started with {"cents":999} and last returned "Sure?"`,
      ],
    ],
  );
  await harness.call('wire_continue', { id: await begin(harness, { cents: 1 }), input: 'yes' });
  assert.equal(approvalHandler.requests.length, 2);
});

test('a continuation without approval does not run', async () => {
  let isThere = true;
  const { tools, done } = createWire();
  const approvalHandler = {
    request: () => Promise.resolve({ decision: isThere ? ('approved' as const) : ('denied' as const) }),
  };
  const harness = createHarness(tools, { approvalHandler });
  const id = await begin(harness, { cents: 999 });
  isThere = false;
  assert.equal((await harness.call('wire_continue', { id, input: 'yes' })).error?.code, 'E_APPROVAL_DENIED');
  assert.equal((await harness.call('wire_continue', { id, stop: true })).error?.code, 'E_APPROVAL_DENIED');
  assert.deepEqual(done, []);
});

test('the approval summary contains the tool’s summary of the start, hides secrets and shows every argument', async () => {
  const { tools } = createWire({
    inputSchema: { type: 'object' },
    classifyRisk: () => ({ risk: 'critical', summary: 'Moves money' }),
  });
  const approvalHandler = approveAll();
  const harness = createHarness(tools, { approvalHandler });
  const id = await begin(harness, { memo: 'x'.repeat(5_000), apiKey: 'hush', to: ['bob'] });
  await harness.call('wire_continue', { id, stop: true });
  const memo = 'x'.repeat(200);
  assert.equal(
    approvalHandler.requests[1]?.summary,
    `Stops ${id}, which was started with {"memo":"${memo}…","apiKey":"[redacted]","to":["bob"]} and last returned "Sure?". About its start: Moves money`,
  );
});

test('a tool with a fixed risk also summarizes the continuation', async () => {
  const { tools } = createWire({ risk: 'high', classifyRisk: undefined as never });
  const approvalHandler = approveAll();
  const harness = createHarness(tools, { approvalHandler });
  const id = await begin(harness, { cents: 5 });
  await harness.call('wire_continue', { id });
  assert.match(approvalHandler.requests[1]?.summary ?? '', /which was started with {"cents":5}/);
});

test('the approval summary shows the yielded value as the model received it', async () => {
  const { tools } = createWire({
    async *execute() {
      yield { at: new Date(0), token: 'hush' } as unknown as JsonObject;
      return null;
    },
  });
  const approvalHandler = approveAll();
  const harness = createHarness(tools, { approvalHandler });
  await harness.call('wire_continue', { id: await begin(harness, { cents: 999 }) });
  assert.match(
    approvalHandler.requests[1]?.summary ?? '',
    /and last returned {"at":"1970-01-01T00:00:00.000Z","token":"\[redacted\]"}$/,
  );
});

test.each([
  ['throws', () => assert.fail('no idea')],
  ['returns nothing', () => undefined as never],
  ['returns an invalid risk', () => ({ risk: 'low' as never })],
])('a classifyRisk that %s makes the continuation critical, too', async (_, classifyRisk) => {
  const { tools } = createWire({ classifyRisk });
  const approvalHandler = approveAll();
  const harness = createHarness(tools, { approvalHandler });
  await harness.call('wire_continue', { id: await begin(harness, { cents: 1 }) });
  assert.deepEqual(
    approvalHandler.requests.map(({ risk }) => risk),
    ['critical', 'critical'],
  );
});

test('risk depends on the arguments that a schema library has parsed, which are what runs', async () => {
  const inputSchema: StandardSchema<unknown, { readonly euros: number }> = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => ({ value: { euros: (value as { readonly cents: number }).cents / 100 } }),
      jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
    },
  };
  const tools = defineStatefulTool({
    name: 'wire',
    description: 'Transfers money.',
    risk: 'safe',
    inputSchema,
    classifyRisk: ({ euros }) => ({ risk: euros > 1 ? 'critical' : 'safe' }),
    async *execute({ euros }) {
      yield euros;
      return euros;
    },
  });
  const approvalHandler = approveAll();
  const harness = createHarness(tools, { approvalHandler });
  const { structured } = await harness.call('wire_continue', { id: await begin(harness, { cents: 999 }) });
  assert.equal((structured as JsonObject)['value'], 9.99);
  assert.equal(approvalHandler.requests.length, 2);
});

test('a risk that only artifact content reveals needs another approval, whose summary omits most of the content', async () => {
  const blobs = createTestBlobs();
  const scope = { principal: 'ada', sessionId: 'session' };
  const ref = blobs.put('pay '.repeat(100), { scope });
  const { tools } = createWire({
    inputSchema: {
      type: 'object',
      properties: { order: { type: 'string' }, scan: { type: 'string', format: 'binary' } },
    },
    classifyRisk: ({ order }) => ({ risk: typeof order === 'string' && order.startsWith('pay') ? 'critical' : 'safe' }),
  });
  const approvalHandler = approveAll();
  const harness = createHarness(tools, { approvalHandler, artifactStore: blobs });
  const id = await begin(harness, { order: { $artifact: ref }, scan: { $artifact: ref } });
  await harness.call('wire_continue', { id });
  const last = approvalHandler.requests.at(-1);
  assert.deepEqual([last?.tool, last?.risk], ['wire_continue', 'critical']);
  assert.match(last?.summary ?? '', /started with {"order":"(?:pay ){50}…","scan":"400 bytes"}/);
});

test('an unknown id is an error that needs no approval', async () => {
  const { tools } = createWire({ concurrency: { keys: ({ cents }) => [`${cents as number}`] } });
  const approvalHandler = approveAll();
  const harness = createHarness(tools, { approvalHandler });
  const result = await harness.call('wire_continue', { id: 'wire_1' });
  assert.deepEqual(
    [result.error?.code, result.text],
    ['E_ARGUMENTS_INVALID', 'wire has no open call with the id wire_1'],
  );
  assert.deepEqual(approvalHandler.requests, []);
});

test('an id that is an artifact is judged like the id that it holds', async () => {
  for (const cents of [1, 999]) {
    const blobs = createTestBlobs();
    const { tools } = createWire();
    const approvalHandler = approveAll();
    const harness = createHarness(tools, { approvalHandler, artifactStore: blobs });
    const id = await begin(harness, { cents });
    const ref = blobs.put(id, { scope: { principal: 'ada', sessionId: 'session' } });
    assert.equal((await harness.call('wire_continue', { id: { $artifact: ref } })).status, 'ok');
    const asked = approvalHandler.requests.filter(({ tool }) => tool === 'wire_continue');
    assert.equal(asked.length, cents === 1 ? 0 : 1);
    for (const { summary } of asked)
      assert.match(summary ?? '', new RegExp(`^Continues ${id}, which was started with`));
  }
});

test('a reply with an artifact that waited for its approval does not answer a later intermediate result', async () => {
  const blobs = createTestBlobs();
  const answers: unknown[] = [];
  const { tools } = createWire({
    async *execute() {
      answers.push(yield 'Sure?');
      answers.push(yield 'Really?');
      return 'sent';
    },
  });
  const approvals = [0, 1, 2].map(() => Promise.withResolvers<{ decision: 'approved' }>());
  const approvalHandler = createTestApprovals((_, index) => approvals[index]?.promise);
  const harness = createHarness(tools, { approvalHandler, artifactStore: blobs });
  approvals[0]?.resolve({ decision: 'approved' });
  const id = await begin(harness, { cents: 999 });
  const ref = blobs.put('late', { scope: { principal: 'ada', sessionId: 'session' } });
  const late = harness.call('wire_continue', { id, input: { $artifact: ref } });
  await approvalHandler.asked(1);
  const early = harness.call('wire_continue', { id, input: 'early' });
  await approvalHandler.asked(2);
  approvals[2]?.resolve({ decision: 'approved' });
  await early;
  approvals[1]?.resolve({ decision: 'approved' });
  assert.match((await late).text, /has received another reply in the meantime/);
  assert.deepEqual(answers, ['early']);
});

test('another session cannot continue a call, even with an approval', async () => {
  const { tools, done } = createWire();
  const harness = createHarness(tools, { approvalHandler: approveAll() });
  const id = await begin(harness, { cents: 999 });
  await using other = harness.invoker.openSession();
  for (const stop of [false, true]) {
    const call = { name: 'wire_continue', args: { id, stop } };
    assert.equal((await harness.invoker.invoke(call, { session: other })).error?.code, 'E_ARGUMENTS_INVALID');
  }
  assert.deepEqual(done, []);
});

test('a continuation takes the locks of the start', async () => {
  const log: string[] = [];
  const waits: PromiseWithResolvers<void>[] = [];
  const [start, next] = defineStatefulTool({
    name: 'edit',
    description: 'Edits a file.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    concurrency: { keys: ({ path }) => [path as string] },
    async *execute({ path }) {
      yield 'ready';
      log.push(`${path as string} begins`);
      const wait = Promise.withResolvers<void>();
      waits.push(wait);
      await wait.promise;
      log.push(`${path as string} ends`);
      return null;
    },
  });
  const harness = createHarness([start, next]);
  const ids: string[] = [];
  for (const path of ['a', 'a', 'b']) ids.push(await begin(harness, { path }, 'edit'));
  const edits = ids.map((id) => harness.call('edit_continue', { id }));
  await settle();
  assert.deepEqual(log, ['a begins', 'b begins']);
  for (let index = 0; index < 3; index++) {
    waits[index]?.resolve();
    await settle();
  }
  assert.deepEqual(log, ['a begins', 'b begins', 'a ends', 'a begins', 'b ends', 'a ends']);
  for (const edit of edits) assert.equal((await edit).status, 'ok');
});

test('a tool that is always safe is not classified, so that it starts early, and is not idempotent', () => {
  const [, safe] = defineStatefulTool({
    name: 'quiz',
    description: 'Asks.',
    risk: 'safe',
    idempotent: true,
    inputSchema: { type: 'object' },
    async *execute() {
      return null;
    },
  });
  assert.equal(safe.classifyRisk, undefined);
  assert.equal(safe.idempotent, false);
});

test.each([
  ['a lock', 'safe', 'exclusive'],
  ['a human', 'high', 'parallel'],
] as const)('two answers that wait for %s do not both count', async (_, risk, concurrency) => {
  const answers: unknown[] = [];
  const tools = defineStatefulTool({
    name: 'quiz',
    description: 'Asks two questions.',
    risk,
    concurrency,
    inputSchema: { type: 'object' },
    async *execute() {
      answers.push(yield 'Format the disk?');
      answers.push(yield 'Really?');
      return null;
    },
  });
  const humans: PromiseWithResolvers<void>[] = [];
  const approvalHandler = createTestApprovals(async ({ tool }) => {
    const human = Promise.withResolvers<void>();
    humans.push(human);
    if (tool === 'quiz_continue') await human.promise;
    return { decision: 'approved' };
  });
  const harness = createHarness(tools, { approvalHandler });
  const id = await begin(harness, {}, 'quiz');
  const calls = ['yes', 'yes'].map((input) => harness.call('quiz_continue', { id, input }));
  await settle();
  humans[1]?.resolve();
  const first = await calls[0];
  humans[2]?.resolve();
  const second = await calls[1];
  assert.equal(first?.status, 'ok');
  assert.equal(second?.error?.code, 'E_STATE_CONFLICT');
  assert.deepEqual(answers, ['yes']);
  const last = harness.call('quiz_continue', { id, input: 'no' });
  await settle();
  humans[3]?.resolve();
  assert.equal((await last).status, 'ok');
  assert.deepEqual(answers, ['yes', 'no']);
});
