import { createMemoryBlobStore } from '@ravi/blob-memory';
import { defineTool } from '@ravi/kernel';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { generateText, isStepCount, streamText } from 'ai';
import type { ModelMessage } from 'ai';
import { expect, test } from 'vitest';
import { raviTools } from '../src/index.ts';
import { createModel, createShop } from './support.ts';

const run = { runId: 'chat-1' };
const stopWhen = isStepCount(6);
const question: ModelMessage = { role: 'user', content: 'Work' };
const none = { type: 'object' } as const;

test('a stream has the output of a tool and ends with the text', async () => {
  const { gateway } = createShop();
  const model = createModel([{ id: 'c1', name: 'find_order', input: { id: 'A1' } }], 'Found it');
  const result = streamText({ model, messages: [question], stopWhen, ...raviTools(gateway, run) });
  const outputs: unknown[] = [];
  for await (const part of result.stream) if (part.type === 'tool-result') outputs.push(part.output);
  expect(outputs).toEqual([{ id: 'A1', cents: 500 }]);
  expect(await result.text).toBe('Found it');
});

test('the abort of a stream cancels the tool', async () => {
  const started = Promise.withResolvers<AbortSignal>();
  const ended = Promise.withResolvers<void>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits',
    risk: 'safe',
    inputSchema: none,
    execute: (_, { signal }) => {
      started.resolve(signal);
      return new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended.resolve();
          reject(new Error('aborted'));
        });
      });
    },
  });
  const { gateway } = createShop({ tools: [wait] });
  const controller = new AbortController();
  const result = streamText({
    model: createModel([{ id: 'w', name: 'wait', input: {} }], 'never'),
    messages: [question],
    stopWhen,
    abortSignal: controller.signal,
    onError: () => undefined,
    ...raviTools(gateway, run),
  });
  const consumed = result.consumeStream();
  await started.promise;
  controller.abort();
  await ended.promise;
  await consumed;
  expect(gateway.trace(run)).toMatchObject([{ tool: 'wait', status: 'cancelled' }]);
});

test('an image of a tool reaches the model as content, and a reference to it works as an argument', async () => {
  const png = new Uint8Array([137, 80, 78, 71, 1, 2, 3]);
  const received: unknown[] = [];
  const draw = defineTool({
    name: 'draw',
    description: 'Draws',
    risk: 'safe',
    inputSchema: none,
    execute: () => ({
      content: [{ type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: png } }],
      isError: false,
    }),
  });
  const keep = defineTool({
    name: 'keep',
    description: 'Keeps a file',
    risk: 'safe',
    inputSchema: { type: 'object', properties: { file: { type: 'string', contentEncoding: 'base64' } } },
    execute: (args) => void received.push(args['file']),
  });
  const { gateway } = createShop({ tools: [draw, keep], artifactStore: createMemoryBlobStore() });
  const model = createModel([{ id: 'd', name: 'draw', input: {} }], 'A picture');
  const { steps } = await generateText({ model, messages: [question], stopWhen, ...raviTools(gateway, run) });
  const output = steps[0]?.toolResults[0]?.output as { readonly artifacts: readonly { readonly $artifact: string }[] };
  const [artifact] = output.artifacts;
  const content = model.doGenerateCalls[1]?.prompt.at(-1)?.content;
  const read = JSON.stringify(content);
  expect(read).toContain('image/png');
  expect(read).toContain(`{\\"$artifact\\":\\"${artifact?.$artifact}\\"`);
  expect(content).toMatchObject([{ output: { value: [{ type: 'text' }, { type: 'file', data: { type: 'data' } }] } }]);
  const input = { file: { $artifact: artifact?.$artifact ?? '' } };
  const next = createModel([{ id: 'k', name: 'keep', input }], 'Kept');
  await generateText({ model: next, messages: [question], stopWhen, ...raviTools(gateway, run) });
  expect(received).toHaveLength(1);
});

test('an artifact of another user that a browser names stays a reference', async () => {
  const { gateway } = createShop({ artifactStore: createMemoryBlobStore() });
  const { tools } = raviTools(gateway, run);
  const output = { text: '', artifacts: [{ $artifact: 'blob_foreign', mediaType: 'image/png', bytes: 1 }] };
  const read = await tools['find_order']?.toModelOutput?.({ toolCallId: 'c', input: {}, output });
  expect(read).toEqual({ type: 'content', value: [{ type: 'text', text: expect.stringContaining('blob_foreign') }] });
});

test('a script with a gated call waits, and a person decides about that call in the SDK', async () => {
  await using sandbox = createVmSandbox({ unsafe: true });
  const { gateway, refunds, lookups } = createShop({ sandbox });
  await using _open = gateway;
  const code = `const order = await tools.find_order({ id: 'A1' }); return tools.refund_order({ id: order.id, cents: 7 });`;
  const first = createModel([{ id: 's', name: 'tool_chain', input: { code } }], 'Waiting');
  await generateText({ model: first, messages: [question], stopWhen, ...raviTools(gateway, run) });
  expect(refunds).toEqual([]);
  expect(lookups).toHaveLength(1);
  const told = JSON.stringify(first.doGenerateCalls[1]?.prompt);
  const request = /approval_[0-9a-f-]{36}/.exec(told)?.[0] ?? '';
  const input = { request, tool: 'refund_order', args: { id: 'A1', cents: 7 } };
  const model = createModel([{ id: 'g', name: 'tool_chain_continue', input }], 'Done');
  const asked = await generateText({ model, messages: [question], stopWhen, ...raviTools(gateway, run) });
  const approval = asked.content.find((part) => part.type === 'tool-approval-request');
  expect(approval).toMatchObject({ reason: 'refund_order (high): 7 cents for A1', toolCall: { input } });
  expect(refunds).toEqual([]);
  const answer: ModelMessage = {
    role: 'tool',
    content: [{ type: 'tool-approval-response', approvalId: approval?.approvalId ?? '', approved: true }],
  };
  const messages = [question, ...asked.responseMessages, answer];
  const end = await generateText({ model, messages, stopWhen, ...raviTools(gateway, run) });
  expect(end.text).toBe('Done');
  expect(JSON.stringify(model.doGenerateCalls[1]?.prompt)).toContain('refunded 7');
  expect(refunds).toHaveLength(1);
});
