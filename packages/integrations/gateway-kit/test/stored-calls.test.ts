import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool, isKernelError } from '@ravi/kernel';
import type { ApprovalHandler, ElicitationResult } from '@ravi/kernel';
import { createSqliteStateStore } from '@ravi/state-sqlite';
import { createMemoryLogger, createTestApprovals } from '@ravi/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createGateway } from '../src/index.ts';
import { createMemoryValues } from '../src/memory-values.ts';
import { createScene, refund, run, script } from './scene.ts';

const approved = { decision: 'approved' } as const;
const digestKey = new Uint8Array(32).fill(7);
const lookup = { run, name: 'find_order', args: { id: 'A1' }, callId: 'look-1' };

test('a state store keeps requests and outcomes for another process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ravi-gateway-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'state.db');
  await using first = await createSqliteStateStore({ file });
  const before = createScene({ values: first.values, digestKey });
  await before.gateway.call(lookup);
  expect(await before.gateway.call(refund())).toMatchObject({ status: 'needs-approval' });
  await using second = await createSqliteStateStore({ file });
  const after = createScene({ values: second.values, digestKey });
  expect(await after.gateway.decide(refund(9_000), approved)).toMatchObject({ status: 'refused' });
  expect(await after.gateway.decide(refund(), approved)).toMatchObject({ status: 'done', isReplay: false });
  expect(await after.gateway.call(lookup)).toMatchObject({ status: 'done', isReplay: true });
  expect(await before.gateway.decide(refund(), approved)).toMatchObject({ status: 'done', isReplay: true });
  expect([...before.refunds, ...after.refunds]).toHaveLength(1);
  await after.gateway.endRun(run);
  expect(await after.gateway.decide(refund(), approved)).toMatchObject({ status: 'refused' });
});

test('a call whose start cannot be stored does not run', async () => {
  const values = { ...createMemoryValues(), put: () => Promise.reject(new Error('disk full')) };
  const { gateway, lookups } = createScene({ values, digestKey });
  await expect(gateway.call(lookup)).rejects.toThrow('disk full');
  expect(lookups).toEqual([]);
});

test('a call whose outcome cannot be stored still returns it, and is not made again', async () => {
  const memory = createMemoryValues();
  const logger = createMemoryLogger();
  const values: typeof memory = {
    ...memory,
    put: (place, value, options) =>
      (value as { readonly state: string }).state === 'done'
        ? Promise.reject(new Error('disk full'))
        : memory.put(place, value, options),
  };
  const { gateway, refunds } = createScene({ values, digestKey, logger });
  await gateway.call(refund());
  expect(await gateway.decide(refund(), approved)).toMatchObject({ status: 'done', result: { status: 'ok' } });
  expect(logger.records).toMatchObject([{ level: 'error', fields: { error: 'Error: disk full' } }]);
  const again = await gateway.decide(refund(), approved);
  expect(again).toMatchObject({ status: 'done', result: { error: { code: 'E_CALL_UNKNOWN' } } });
  expect(refunds).toHaveLength(1);
});

test('the run that was idle for longest leaves when there are too many, and its request with it', async () => {
  const { gateway, refunds } = createScene({ maxRuns: 2 });
  await gateway.call(refund());
  for (const runId of ['thread-2', 'thread-3']) await gateway.call({ ...lookup, run: { ...run, runId } });
  expect(await gateway.decide(refund(), approved)).toMatchObject({ status: 'refused' });
  expect(refunds).toEqual([]);
});

test('a call of a run that left memory is not made again, and its budget continues', async () => {
  const { gateway, refunds } = createScene({ maxRuns: 1, policy: { maxToolCalls: 2 } });
  await gateway.call(refund());
  await gateway.decide(refund(), approved);
  await gateway.call({ ...lookup, run: { ...run, runId: 'thread-2' } });
  for (const repeated of [await gateway.call(refund()), await gateway.decide(refund(), approved)])
    expect(repeated).toMatchObject({ status: 'done', isReplay: true, result: { error: { code: 'E_CALL_UNKNOWN' } } });
  expect(refunds).toHaveLength(1);
  expect(await gateway.call(lookup)).toMatchObject({ status: 'done', result: { status: 'ok' } });
  const third = await gateway.call({ ...lookup, callId: 'look-2' });
  expect(third).toMatchObject({ result: { error: { code: 'E_BUDGET_EXHAUSTED' } } });
});

test('calls of very many old runs are forgotten, and the log says so', async () => {
  const logger = createMemoryLogger();
  const { gateway } = createScene({ maxRuns: 1, logger });
  for (let index = 0; index < 22; index++) await gateway.call({ ...lookup, run: { ...run, runId: `thread-${index}` } });
  expect(logger.records).toMatchObject([{ level: 'warn', fields: { runId: 'thread-0' } }]);
});

test('call ids that look like calls inside another call get no approval of it', async () => {
  const { gateway, refunds } = createScene();
  await gateway.call(refund(100, 'a'));
  await gateway.decide(refund(100, 'a'), approved);
  for (const callId of ['a.call_1', 'x-a', 'a:1', 'ä', 'a'.repeat(5_000), '']) {
    expect(await gateway.decide(refund(100, callId), approved)).toMatchObject({ status: 'refused' });
    expect(await gateway.call(refund(100, callId))).toMatchObject({ status: 'needs-approval' });
    expect(await gateway.decide(refund(100, callId), approved)).toMatchObject({ status: 'done' });
  }
  expect(refunds).toHaveLength(7);
  const ids = gateway.trace(run).map(({ callId }) => callId);
  expect(new Set(ids).size).toBe(7);
  expect(ids.join('')).not.toContain('.');
});

test('a question of a running tool goes to the approval handler, never to the framework', async () => {
  const answers: (ElicitationResult | string)[] = [];
  const ask = defineTool({
    name: 'ask',
    description: 'Asks for a city',
    risk: 'safe',
    inputSchema: { type: 'object' },
    async execute(_, { elicit }) {
      const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
      const answer = await elicit({ mode: 'form', message: 'Where?', schema }).catch((error: unknown) =>
        isKernelError(error) ? error.code : String(error),
      );
      answers.push(answer);
    },
  });
  const handler = createTestApprovals(() =>
    Promise.resolve({ decision: 'approved', content: { city: 'Oslo' }, approver: 'grace' }),
  );
  const call = { run, name: 'ask', args: {}, callId: 'q' };
  await createGateway({ tools: [ask], approvalHandler: handler, approvals: 'framework' }).call(call);
  await createGateway({ tools: [ask] }).call(call);
  expect(answers).toEqual([{ action: 'accept', content: { city: 'Oslo' } }, 'E_UNSUPPORTED']);
});

test('a call waits for its result from outside if the approval handler keeps tokens, and is refused a token otherwise', async () => {
  const deploy = defineTool({
    name: 'deploy',
    description: 'Deploys elsewhere',
    risk: 'safe',
    inputSchema: { type: 'object' },
    execute: async (_, context) => (await context.completion()).result,
  });
  const tokens: unknown[] = [];
  const outside: ApprovalHandler = {
    takesCompletions: true,
    async request({ completion }, { onStored }) {
      tokens.push(completion?.digest);
      onStored?.();
      return { decision: 'approved', content: { result: 'deployed' } };
    },
  };
  const call = { run, name: 'deploy', args: {}, callId: 'd' };
  const waited = await createGateway({ tools: [deploy], approvalHandler: outside, approvals: 'framework' }).call(call);
  expect(waited).toMatchObject({ status: 'done', result: { text: 'deployed' } });
  expect(tokens).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(await createGateway({ tools: [deploy] }).call(call)).toMatchObject({
    result: { error: { code: 'E_UNSUPPORTED' } },
  });
});

test('with a handler for questions, approvals still use the framework', async () => {
  const handler = createTestApprovals(() => Promise.resolve(approved));
  const { gateway, refunds } = createScene({ approvalHandler: handler, approvals: 'framework' });
  expect(await gateway.call(refund())).toMatchObject({ status: 'needs-approval' });
  expect(handler.requests).toEqual([]);
  expect(refunds).toEqual([]);
  expect(await gateway.call(script('return 1'))).toMatchObject({ result: { error: { code: 'E_TOOL_UNKNOWN' } } });
});
