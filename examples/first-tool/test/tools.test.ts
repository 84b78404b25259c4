import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from '@ravi/testkit';
import { afterEach, test } from 'vitest';
import countWords from '../tools/count_words.ts';
import saveNote from '../tools/save_note.ts';

const notes = join(import.meta.dirname, '../data/notes');
afterEach(() => rm(join(notes, 'tested.txt'), { force: true }));

// #region test
test('a note is saved once a person has approved it', async () => {
  const { result, approvals } = await runTool(saveNote, { name: 'tested', text: 'hello' });
  assert.deepEqual(result.structured, { saved: 'tested' });
  assert.equal(approvals[0]?.summary, 'Save 5 characters as tested');
  assert.equal(await readFile(join(notes, 'tested.txt'), 'utf8'), 'hello');
});

test('a note that is denied is not saved', async () => {
  const { record } = await runTool(saveNote, { name: 'tested', text: 'hello' }, { approves: false });
  assert.deepEqual([record.status, record.errorCode], ['denied', 'E_APPROVAL_DENIED']);
  await assert.rejects(readFile(join(notes, 'tested.txt')), { code: 'ENOENT' });
});

test('a name that is a path is refused before a person is asked', async () => {
  const { result, approvals } = await runTool(saveNote, { name: '../etc', text: 'hello' });
  assert.equal(result.error?.code, 'E_ARGUMENTS_INVALID');
  assert.deepEqual(approvals, []);
});
// #endregion

test('words are counted without an approval', async () => {
  const { result, approvals } = await runTool(countWords, { text: 'one  two\nthree' });
  assert.deepEqual([result.structured, approvals.length], [{ words: 3 }, 0]);
});
