import assert from 'node:assert/strict';
import type { ToolExecutionResult } from '@ravi/kernel';
import { createTestBlobs } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import { recordingTool, textResult, valueResult } from '../support/tools.ts';

/** Calls a tool in a session that keeps 100 bytes inline and shows a preview of 20. */
async function shape(result: unknown, { withStore = true, ...policy } = {}) {
  const artifactStore = createTestBlobs();
  const tool = recordingTool('t', { run: () => result });
  const harness = createHarness([tool], {
    ...(withStore ? { artifactStore } : {}),
    policy: { maxInlineResultBytes: 100, maxPreviewBytes: 20, ...policy },
  });
  return { ...harness, artifactStore, result: await harness.call('t') };
}

test('a result of exactly maxInlineResultBytes stays inline, one byte more is stored', async () => {
  const fits = await shape(textResult('x'.repeat(100)));
  assert.equal(fits.result.text, 'x'.repeat(100));
  assert.equal(fits.result.artifactRef, undefined);
  const tooLong = await shape(textResult('x'.repeat(101)));
  assert.equal(tooLong.result.artifactRef, 'blob_1');
  assert.equal(tooLong.artifactStore.text('blob_1'), 'x'.repeat(101));
});

test('text and value count together, in bytes of UTF-8', async () => {
  const both = (text: string, value: string): ToolExecutionResult => ({
    ...textResult(text),
    structuredContent: value,
  });
  assert.equal((await shape(both('x'.repeat(49), 'y'.repeat(49)))).result.artifactRef, undefined);
  assert.equal((await shape(both('x'.repeat(50), 'y'.repeat(49)))).result.artifactRef, 'blob_1');
  assert.equal((await shape(textResult('é'.repeat(50)))).result.artifactRef, undefined);
  assert.equal((await shape(textResult('é'.repeat(51)))).result.artifactRef, 'blob_1');
});

test('a value of which the text leaves out a part is stored, so that no part is lost, but a script gets it', async () => {
  const cut = { ...textResult('a … c'), structuredContent: 'a b c', isTextCut: true };
  const { result, artifactStore, call } = await shape(cut);
  assert.deepEqual([result.artifactRef, artifactStore.text('blob_1')], ['blob_1', '"a b c"']);
  assert.match(result.text, /^a … c\n"a b c"\n\[7 bytes of application\/json stored/);
  const ofScript = await call('t', {}, { caller: 'chain' });
  assert.deepEqual([ofScript.text, ofScript.structured, ofScript.artifactRef], ['a … c', 'a b c', undefined]);
  const inline = await shape(cut, { withStore: false });
  assert.equal(inline.result.text, 'a … c\n"a b c"');
  assert.equal((await shape({ ...cut, isTextCut: false })).result.text, 'a … c');
});

test('a structured value without text is JSON text for the model and the value for a script', async () => {
  const { result } = await shape(valueResult({ rows: [1, 2] }));
  assert.deepEqual(result, { status: 'ok', text: '{"rows":[1,2]}', structured: { rows: [1, 2] }, files: [] });
  for (const value of [null, false, 0, '']) assert.equal((await shape(valueResult(value))).result.structured, value);
});

test('an empty result is an empty text', async () => {
  assert.deepEqual((await shape({ content: [], isError: false })).result, { status: 'ok', text: '', files: [] });
});

test('a stored result is pinned for the session, announced, and the model reads preview, size and ref', async () => {
  const { result, artifactStore, session, recorded, onlyRecord } = await shape(valueResult('z'.repeat(200)));
  assert.deepEqual(result, {
    status: 'ok',
    text: '"zzzzzzzzzzzzzzzzzzz\n[202 bytes of application/json stored; the first 20 are shown. Pass {"$artifact":"blob_1"} as an argument to hand it to another tool]',
    artifactRef: 'blob_1',
    preview: '"zzzzzzzzzzzzzzzzzzz',
    files: [],
  });
  assert.deepEqual([...artifactStore.pins.keys()], ['blob_1']);
  assert.deepEqual(session.pinnedRefs, ['blob_1']);
  const [stored] = recorded.of('artifact');
  assert.deepEqual([stored?.ref, stored?.mediaType, stored?.bytes], ['blob_1', 'application/json', 202]);
  assert.deepEqual([onlyRecord().artifactRef, onlyRecord().bytes], ['blob_1', 202]);
  assert.deepEqual((await artifactStore.stat('blob_1'))?.scope, { principal: 'ada', sessionId: 'session' });
});

test('a preview never ends inside a character', async () => {
  for (const [text, preview] of [
    ['😀'.repeat(60), '😀'.repeat(5)],
    [`a${'😀'.repeat(60)}`, `a${'😀'.repeat(4)}`],
    [`abc${'é'.repeat(60)}`, `abc${'é'.repeat(8)}`],
    ['日'.repeat(60), '日'.repeat(6)],
  ] as const) {
    assert.equal((await shape(textResult(text))).result.preview, preview);
  }
});

test('short text next to a stored value stays inline, long text is stored too', async () => {
  const short = await shape({ ...textResult('12 rows'), structuredContent: 'y'.repeat(200) });
  assert.match(short.result.text, /^12 rows\n"yyy/);
  assert.equal(short.artifactStore.text('blob_1'), `"${'y'.repeat(200)}"`);
  const long = await shape({ ...textResult('x'.repeat(150)), structuredContent: 'y'.repeat(200) });
  assert.match(long.result.text, /^\[150 bytes of accompanying text are stored as \{"\$artifact":"blob_2"\}\]/);
  assert.equal(long.artifactStore.text('blob_2'), 'x'.repeat(150));
  assert.deepEqual(long.session.pinnedRefs, ['blob_1', 'blob_2']);
});

test('without a store everything stays inline', async () => {
  const { result } = await shape(textResult('x'.repeat(10_000)), { withStore: false });
  assert.equal(result.text.length, 10_000);
  assert.equal(result.artifactRef, undefined);
});

test('if the store fails, the failure is logged and the result stays inline', async () => {
  for (const operation of ['store', 'pin'] as const) {
    const artifactStore = createTestBlobs();
    artifactStore.break(operation);
    const tool = recordingTool('t', { run: () => valueResult('x'.repeat(9_000)) });
    const harness = createHarness([tool], { artifactStore });
    const result = await harness.call('t');
    assert.equal(result.status, 'ok', operation);
    assert.equal(result.structured, 'x'.repeat(9_000));
    assert.equal(result.artifactRef, undefined);
    assert.deepEqual(harness.logger.messages('error'), ['artifact store failed: the result stays inline']);
  }
});

test('changing the result afterwards has no effect', async () => {
  const structuredContent = { list: [1] };
  const { result } = await shape({ content: [], isError: false, structuredContent });
  structuredContent.list.push(2);
  assert.deepEqual(result.structured, { list: [1] });
});

test('a large failure is stored like a large result, and its message stays short', async () => {
  const text = `first line\n${'x'.repeat(20_000)}`;
  const { result, artifactStore } = await shape({
    content: [{ type: 'error', message: text, code: 'E_BUILD' }],
    isError: true,
  });
  assert.equal(result.status, 'error');
  assert.equal(result.error?.code, 'E_BUILD');
  assert.ok(/^first line\nx+…$/.test(result.error?.message ?? ''));
  assert.ok(Buffer.byteLength(result.error?.message ?? '') < 5_000);
  assert.equal(artifactStore.text(result.artifactRef!), text);
  assert.match(result.text, /20011 bytes of text\/plain stored/);
});
