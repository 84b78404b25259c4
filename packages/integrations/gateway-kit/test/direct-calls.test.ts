import { createMemoryBlobStore } from '@ravi/blob-memory';
import { defineTool, isKernelError } from '@ravi/kernel';
import { approveAll } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { createGateway } from '../src/index.ts';
import { createScene, createShop, refund, run } from './scene.ts';

const lookup = { run, name: 'find_order', args: { id: 'A1' }, callId: 'look-1' };

test('a safe call runs at once and is in the trace with the run id of the framework', async () => {
  const { gateway, lookups } = createScene();
  const outcome = await gateway.call(lookup);
  expect(outcome).toMatchObject({
    status: 'done',
    isReplay: false,
    result: { status: 'ok', structured: { cents: 500 } },
  });
  expect(lookups).toHaveLength(1);
  expect(gateway.trace(run)).toMatchObject([{ callId: 'look-1', tool: 'find_order', status: 'ok' }]);
});

test('hooks and tools see the run id, the principal and the conversation of the framework', async () => {
  const seen: unknown[] = [];
  const tool = defineTool({
    name: 'whoami',
    description: 'Tells the run',
    risk: 'safe',
    inputSchema: { type: 'object' },
    execute: (_, { runId, principal, sessionId }) => void seen.push({ runId, principal, sessionId }),
  });
  const gateway = createGateway({ tools: [tool] });
  await gateway.call({ run: { ...run, sessionId: 'chat-7' }, name: 'whoami', args: {}, callId: 'c' });
  expect(seen).toEqual([{ runId: 'thread-1', principal: 'ada', sessionId: 'chat-7' }]);
});

test('a call of the same id runs once, also at the same time, and later calls get its result', async () => {
  const { gateway, lookups } = createScene();
  const [first, second] = await Promise.all([gateway.call(lookup), gateway.call(lookup)]);
  expect(second).toEqual(first);
  expect(await gateway.call(lookup)).toMatchObject({ status: 'done', isReplay: true, result: { status: 'ok' } });
  expect(lookups).toHaveLength(1);
});

test('a call id that is used again with other arguments is refused', async () => {
  const { gateway, lookups } = createScene();
  await gateway.call(lookup);
  const other = await gateway.call({ ...lookup, args: { id: 'B2' } });
  expect(other).toMatchObject({ status: 'refused', result: { error: { code: 'E_KEY_REUSED' } } });
  expect(lookups).toHaveLength(1);
});

test('equal call ids of other runs, conversations and principals are other calls', async () => {
  const { gateway, lookups } = createScene();
  const runs = [run, { ...run, runId: 'thread-2' }, { ...run, sessionId: 'chat-2' }, { ...run, principal: 'bob' }];
  for (const each of runs) await gateway.call({ ...lookup, run: each });
  expect(lookups).toHaveLength(4);
});

test('the budget belongs to the run of the framework', async () => {
  const { gateway, lookups } = createScene({ policy: { maxToolCalls: 2 } });
  const codes: unknown[] = [];
  for (const callId of ['a', 'b', 'c']) {
    const outcome = await gateway.call({ ...lookup, callId });
    codes.push(outcome.status === 'done' ? outcome.result.error?.code : outcome.status);
  }
  expect(codes).toEqual([undefined, undefined, 'E_BUDGET_EXHAUSTED']);
  await gateway.call({ ...lookup, run: { ...run, runId: 'thread-2' } });
  expect(lookups).toHaveLength(3);
});

test('people are not asked about a call for which the budget is used up', async () => {
  const { gateway } = createScene({ policy: { maxToolCalls: 1 } });
  await gateway.call(lookup);
  expect(await gateway.check(refund())).toEqual({ needsApproval: false });
  expect(await gateway.call(refund())).toMatchObject({
    status: 'done',
    result: { error: { code: 'E_BUDGET_EXHAUSTED' } },
  });
});

test('the signal of the framework cancels the tool', async () => {
  const started = Promise.withResolvers<AbortSignal>();
  const tool = defineTool({
    name: 'wait',
    description: 'Waits',
    risk: 'safe',
    inputSchema: { type: 'object' },
    execute: (_, { signal }) =>
      new Promise<never>((_resolve, reject) => {
        started.resolve(signal);
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  });
  const gateway = createGateway({ tools: [tool] });
  const controller = new AbortController();
  const call = gateway.call({ run, name: 'wait', args: {}, callId: 'w', signal: controller.signal });
  const signal = await started.promise;
  controller.abort();
  await expect(call).rejects.toSatisfy((error) => isKernelError(error, 'E_CANCELLED'));
  expect(signal.aborted).toBe(true);
  expect(gateway.trace(run)).toMatchObject([{ status: 'cancelled' }]);
});

test('a call whose signal is already aborted does not run', async () => {
  const { gateway, lookups } = createScene();
  const call = gateway.call({ ...lookup, signal: AbortSignal.abort() });
  await expect(call).rejects.toSatisfy((error) => isKernelError(error, 'E_CANCELLED'));
  expect(lookups).toEqual([]);
  expect(await gateway.call(lookup)).toMatchObject({ status: 'done', result: { status: 'ok' } });
});

test('the end of a run cancels its calls and forgets their ids', async () => {
  const { gateway, lookups } = createScene();
  await gateway.call(lookup);
  await gateway.endRun(run);
  expect(gateway.trace(run)).toEqual([]);
  expect(await gateway.call(lookup)).toMatchObject({ isReplay: false });
  expect(lookups).toHaveLength(2);
});

test('a large result becomes an artifact that a later call receives and only its conversation reads', async () => {
  const received: unknown[] = [];
  const text = 'x'.repeat(10_000);
  const big = defineTool({
    name: 'report',
    description: 'A report',
    risk: 'safe',
    inputSchema: { type: 'object' },
    execute: () => text,
  });
  const send = defineTool({
    name: 'send',
    description: 'Sends text',
    risk: 'safe',
    inputSchema: { type: 'object', properties: { body: { type: 'string' } }, required: ['body'] },
    execute: (args) => void received.push(args.body),
  });
  const gateway = createGateway({ tools: [big, send], artifactStore: createMemoryBlobStore() });
  const outcome = await gateway.call({ run, name: 'report', args: {}, callId: '1' });
  const ref = outcome.status === 'done' ? outcome.result.artifactRef : undefined;
  expect(ref).toBeTypeOf('string');
  await gateway.call({ run, name: 'send', args: { body: { $artifact: ref ?? '' } }, callId: '2' });
  expect(received).toEqual([text]);
  const artifact = await gateway.readArtifact(run, ref ?? '');
  expect(new TextDecoder().decode(artifact.bytes)).toBe(text);
  const foreign = gateway.readArtifact({ ...run, principal: 'eve' }, ref ?? '');
  await expect(foreign).rejects.toSatisfy((error) => isKernelError(error, 'E_ARTIFACT_FORBIDDEN'));
});

test('with an approval handler a call waits for it and the framework is not involved', async () => {
  const approvals = approveAll();
  const shop = createShop();
  const gateway = createGateway({ tools: shop.tools, approvalHandler: approvals });
  expect(await gateway.check(refund())).toEqual({ needsApproval: false });
  expect(await gateway.call(refund())).toMatchObject({ status: 'done', result: { status: 'ok' } });
  expect(approvals.requests).toMatchObject([{ tool: 'refund_order', runId: 'thread-1', callId: 'call-1' }]);
});

test('descriptors have names that every provider accepts, and call their own tool', async () => {
  const named = (name: string): ReturnType<typeof defineTool> =>
    defineTool({ name, description: name, risk: 'safe', inputSchema: { type: 'object' }, execute: () => name });
  const gateway = createGateway({ tools: ['files.read', 'files_read', 'files-read'].map(named) });
  const names = gateway.tools.map(({ name }) => name);
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  const texts = await Promise.all(
    gateway.tools.map(async (tool, index) => {
      const outcome = await tool.call({}, { run, callId: String(index) });
      return outcome.status === 'done' ? outcome.result.text : outcome.status;
    }),
  );
  expect(texts).toEqual(['files.read', 'files_read', 'files-read']);
});

test('a registry that changes changes the offered tools', async () => {
  const { gateway } = createScene();
  expect(gateway.tools).toBe(gateway.tools);
  expect(gateway.tools.map(({ name }) => name)).toEqual(['find_order', 'refund_order']);
});
