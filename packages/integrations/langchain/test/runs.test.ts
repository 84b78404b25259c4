import { HumanMessage } from '@langchain/core/messages';
import { createMemoryBlobStore } from '@ravi/blob-memory';
import { expect, test } from 'vitest';
import { answerTo, turnOf } from '../src/index.ts';
import { createScene, questionId, refund, thread } from './scene.ts';
import type { ModelCall } from './scene.ts';

const run = { runId: `thread-1/${questionId}`, sessionId: 'thread-1' };

test('the trace of a turn has the id of its thread and of its question', async () => {
  await using scene = createScene([[refund(7)]]);
  const { interrupts } = await scene.ask();
  await scene.resume(answerTo(interrupts[0]!, { type: 'approve', approver: 'ada' }));

  expect(scene.gateway.trace(run)).toMatchObject([
    {
      callId: expect.stringMatching(/^refund-7_/),
      tool: 'refund_order',
      status: 'ok',
      approval: { decision: 'approved', approver: 'ada' },
    },
  ]);
});

test('a turn has one budget, and the next turn a new one', async () => {
  const list = (id: string): ModelCall => ({ id, name: 'list_orders', args: {} });
  const steps = [[list('a'), list('b')], [list('c')], 'done', [list('d')]];
  await using scene = createScene(steps, { policy: { maxToolCalls: 2 } });

  const { outputs } = await scene.ask();
  expect(scene.listed).toBe(2);
  expect(outputs[2]).toContain('budget');
  await scene.agent.invoke({ messages: [new HumanMessage({ id: 'question-2', content: 'More' })] }, thread);

  expect(scene.listed).toBe(3);
});

test('a model that gives a later call the id of an earlier one gets the result of the later one', async () => {
  const list: ModelCall = { id: 'call_0', name: 'list_orders', args: {} };
  await using scene = createScene([[list], [list], [{ ...refund(7), id: 'call_0' }]]);

  const { interrupts } = await scene.ask();
  expect(scene.listed).toBe(2);
  await scene.resume(answerTo(interrupts[0]!, 'approve'));

  expect(scene.refunds).toEqual([7]);
});

test('a large result is stored, and the message has its beginning and its ref', async () => {
  await using scene = createScene([[{ id: 'call-1', name: 'write_report', args: {} }]], {
    artifactStore: createMemoryBlobStore(),
  });

  const { messages, outputs } = await scene.ask();

  expect(outputs[0]!.length).toBeLessThan(5_000);
  const message = messages.find(({ type }) => type === 'tool') as unknown as {
    readonly artifact: { readonly artifactRef: string };
  };
  const { bytes } = await scene.gateway.readArtifact(run, message.artifact.artifactRef);
  expect(bytes.byteLength).toBe(21_000);
});

test('the model reads an image of a result, and its reference', async () => {
  await using scene = createScene([[{ id: 'call-1', name: 'photo_parcel', args: {} }]], {
    artifactStore: createMemoryBlobStore(),
  });

  const { messages } = await scene.ask();

  const message = messages.find(({ type }) => type === 'tool');
  expect(message?.content).toMatchObject([
    { type: 'text', text: expect.stringContaining('$artifact') },
    { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) } },
  ]);
});

test('a cancelled run cancels its call', async () => {
  await using scene = createScene([[{ id: 'call-1', name: 'track_parcel', args: {} }]]);
  const controller = new AbortController();
  const asked = scene.ask('Hello', { signal: controller.signal }).catch((error: unknown) => error);
  await scene.tracking;

  controller.abort();

  await scene.cancelled;
  expect(await asked).toBeInstanceOf(Error);
});

test('a call without thread and messages is a run of its own', () => {
  expect(turnOf({}).runId).not.toBe(turnOf({}).runId);
  expect(turnOf({ configurable: { thread_id: 'a' } })).toEqual({ runId: 'a', sessionId: 'a' });
  const state = { messages: [new HumanMessage({ id: 'm1', content: '' })] };
  expect(turnOf({ state })).toEqual({ runId: 'm1' });
});
