import assert from 'node:assert/strict';
import type { MediaBlock, MediaSource } from '@ravi/kernel';
import { createTestBlobs } from '@ravi/testkit';
import type { TestBlobs } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

const dot = Uint8Array.of(1, 2, 3);

function media(mediaType: string, source: MediaSource = { kind: 'bytes', bytes: dot }): MediaBlock {
  return { type: 'image', mediaType, source };
}

function setUp(content: readonly unknown[], artifactStore?: TestBlobs) {
  const tool = recordingTool('shot', { run: () => ({ content, isError: false }) });
  return createHarness([tool], artifactStore === undefined ? {} : { artifactStore });
}

test('media become files: stored, pinned, named after call, tool and number, with the size', async () => {
  const artifactStore = createTestBlobs();
  const harness = setUp(
    [{ type: 'text', text: 'two' }, media('image/png'), { ...media('audio/mpeg'), type: 'audio' }],
    artifactStore,
  );
  const result = await harness.call('shot', {}, { callId: 'c1' });
  assert.equal(result.text, 'two');
  assert.deepEqual(result.files, [
    { path: '/workspace/media/c1-shot-0.png', mediaType: 'image/png', artifactRef: 'blob_1', bytes: 3 },
    { path: '/workspace/media/c1-shot-1.mp3', mediaType: 'audio/mpeg', artifactRef: 'blob_2', bytes: 3 },
  ]);
  assert.deepEqual(harness.session.pinnedRefs, ['blob_1', 'blob_2']);
  assert.equal(harness.recorded.of('artifact').length, 2);
});

test('the extension follows the media type; an unusable one becomes bin', async () => {
  const extensions = {
    'image/jpeg': 'jpg',
    'image/svg+xml': 'svg',
    'IMAGE/PNG': 'png',
    'text/plain; charset=utf-8': 'txt',
    'application/pdf': 'pdf',
    'application/octet-stream': 'bin',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'bin',
    'image/../../etc/passwd': 'bin',
    'image/': 'bin',
    '': 'bin',
  };
  const types = Object.keys(extensions);
  const result = await setUp(
    types.map((type) => media(type)),
    createTestBlobs(),
  ).call('shot');
  assert.deepEqual(
    result.files.map((file) => file.path.split('.').at(-1)),
    Object.values(extensions),
  );
});

test('paths of different calls differ, and a call id cannot leave the folder', async () => {
  const harness = setUp([media('image/png')], createTestBlobs());
  const paths: string[] = [];
  for (const callId of ['a', 'b', '../../etc', 'x/../y', 'ünï', 'long'.repeat(100)]) {
    paths.push((await harness.call('shot', {}, { callId })).files[0]!.path);
  }
  assert.equal(new Set(paths).size, paths.length);
  for (const path of paths) assert.match(path, /^\/workspace\/media\/[\w.-]{1,200}\.png$/);
});

test('media that are already blobs of the session are not stored again', async () => {
  const artifactStore = createTestBlobs();
  const ref = artifactStore.put('abcd', { mediaType: 'image/png', scope: { principal: 'ada', sessionId: 'session' } });
  const harness = setUp([media('image/png', { kind: 'blob', ref })], artifactStore);
  assert.deepEqual((await harness.call('shot')).files[0]?.artifactRef, ref);
  assert.deepEqual(harness.session.pinnedRefs, [ref]);
  await harness.session.close();
  assert.equal(artifactStore.pins.size, 0);
});

test('a blob of another session, or a missing one, does not become a file', async () => {
  const artifactStore = createTestBlobs();
  const foreign = artifactStore.put('abcd', { scope: { principal: 'eve', sessionId: 'session' } });
  for (const ref of [foreign, 'nowhere']) {
    const result = await setUp([media('image/png', { kind: 'blob', ref })], artifactStore).call('shot');
    assert.deepEqual(result.files, []);
    assert.equal(result.text, '[image (image/png): not available in this session]');
  }
  assert.equal(artifactStore.pins.size, 0);
});

test('the URL of media is shown to the model', async () => {
  const result = await setUp([media('image/png', { kind: 'url', url: 'https://example.com/a.png' })]).call('shot');
  assert.equal(result.text, '[image (image/png): https://example.com/a.png]');
});

test('without a store, and when it fails, the rest of the result is delivered with a note about the loss', async () => {
  const content = [{ type: 'text', text: 'seen' }, media('image/png')];
  const none = await setUp(content).call('shot');
  assert.equal(none.text, 'seen\n[image (image/png): not kept, since there is no artifact store]');
  for (const operation of ['store', 'pin', 'stat'] as const) {
    const artifactStore = createTestBlobs();
    const ref = artifactStore.put('abcd', { scope: { principal: 'ada', sessionId: 'session' } });
    artifactStore.break(operation, new Error('the disk is full'));
    const source: MediaSource = operation === 'stat' ? { kind: 'blob', ref } : { kind: 'bytes', bytes: dot };
    const harness = setUp([{ type: 'text', text: 'seen' }, media('image/png', source)], artifactStore);
    const result = await harness.call('shot');
    assert.equal(result.status, 'ok', operation);
    assert.equal(result.text, 'seen\n[image (image/png): not kept, since the artifact store failed]');
    assert.deepEqual(harness.logger.messages('error'), ['artifact store failed: a file is lost']);
  }
});
