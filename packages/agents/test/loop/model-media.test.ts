import assert from 'node:assert/strict';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { defineTool } from '@ravi/kernel';
import type { ContentBlock, MediaBlock, ModelMessage } from '@ravi/kernel';
import { createMemoryLogger, createScriptedModel, createTestBlobs } from '@ravi/testkit';
import { test } from 'vitest';
import { ReActAgent } from '../../src/index.ts';
import { createTestHistory } from '../support/memory-state.ts';

const picture: MediaBlock = {
  type: 'image',
  mediaType: 'image/png',
  source: { kind: 'bytes', bytes: new TextEncoder().encode('a picture') },
};
const speech: MediaBlock = {
  type: 'audio',
  mediaType: 'audio/mpeg',
  source: { kind: 'bytes', bytes: new TextEncoder().encode('a song') },
};
const opaque: ContentBlock = { type: 'unknown', raw: { id: 'ig_1' }, source: 'scripted' };

function answerOf(messages: readonly ModelMessage[]): readonly ContentBlock[] {
  return messages.find(({ role }) => role === 'assistant')?.content ?? [];
}

test('pictures and sound that a model makes become artifacts; the conversation and its store hold references', async () => {
  const [artifactStore, history] = [createTestBlobs(), createTestHistory()];
  const pinned: number[] = [];
  const look = defineTool({
    name: 'look',
    description: 'Looks',
    inputSchema: { type: 'object' },
    execute: () => void pinned.push(artifactStore.pins.size),
  });
  const model = createScriptedModel([
    { text: 'Here.', blocks: [picture, opaque, speech], toolCalls: [{ name: 'look' }] },
    { text: 'Done.' },
  ]);
  const invoker = new ToolInvoker({ registry: new Toolbox([look]), artifactStore });
  const told: string[] = [];
  invoker.hooks.observe('artifact-stored', ({ ref }) => void told.push(ref));
  const session = invoker.openSession({ runId: 'r/1', sessionId: 's' });
  const agent = new ReActAgent({ name: 'painter', model, invoker, history });
  const { text, messages } = await agent.run('Draw', { session, runId: 'r/1', sessionId: 's' });
  assert.equal(text, 'Done.');
  const answer = answerOf(messages);
  const [name, other] = ['r_1-answer-1-1.png', 'r_1-answer-1-3.mp3'];
  assert.deepEqual(answer.slice(1, 4), [
    { type: 'image', mediaType: 'image/png', name, source: { kind: 'blob', ref: 'blob_1' } },
    opaque,
    { type: 'audio', mediaType: 'audio/mpeg', name: other, source: { kind: 'blob', ref: 'blob_2' } },
  ]);
  assert.deepEqual(told, ['blob_1', 'blob_2']);
  assert.deepEqual([artifactStore.text('blob_1'), artifactStore.text('blob_2')], ['a picture', 'a song']);
  assert.deepEqual(answerOf(history.turns.map(({ message }) => message)), answer);
  assert.deepEqual(answerOf(model.requests[1]?.messages ?? []), answer);
  assert.deepEqual(
    session.files.map(({ path, bytes, artifactRef }) => [path, bytes, artifactRef]),
    [
      [`/workspace/media/${name}`, 9, 'blob_1'],
      [`/workspace/media/${other}`, 6, 'blob_2'],
    ],
  );
  assert.deepEqual([pinned, artifactStore.pins.size], [[2], 0]);
  await session.close();
});

test('what a model makes and nobody can keep is told in words, and no bytes join the conversation', async () => {
  const broken = createTestBlobs();
  broken.break('store');
  for (const [artifactStore, why] of [
    [undefined, 'there is no artifact store'],
    [broken, 'the artifact store failed'],
  ] as const) {
    const logger = createMemoryLogger();
    const model = createScriptedModel([{ text: 'Here.', blocks: [picture] }]);
    const agent = new ReActAgent({ name: 'painter', model, logger, ...(artifactStore && { artifactStore }) });
    const { text, messages } = await agent.run('Draw');
    assert.equal(text, 'Here.');
    const note = `[image (image/png) that the model made: not kept, since ${why}]`;
    assert.deepEqual(answerOf(messages), [
      { type: 'text', text: 'Here.' },
      { type: 'text', text: note },
    ]);
    assert.equal(logger.messages('error').length, artifactStore === undefined ? 0 : 1);
  }
});

test('media that a model names by address stay as they are', async () => {
  const link: MediaBlock = { ...picture, source: { kind: 'url', url: 'https://example.com/a.png' } };
  const agent = new ReActAgent({ name: 'painter', model: createScriptedModel([{ blocks: [link] }]) });
  assert.deepEqual(answerOf((await agent.run('Draw')).messages), [link]);
});
