import assert from 'node:assert/strict';
import { test } from 'vitest';

import { bannedPhrases } from '../prose/banned-phrases.ts';
import { findPhrases } from '../prose/find-phrases.ts';

const texts = (source: string): string[] => findPhrases(source, bannedPhrases).map(({ text }) => text);

test('finds a banned phrase in a comment, a string and a page', () => {
  assert.deepEqual(texts('// nobody waits'), ['nobody']);
  assert.deepEqual(texts("throw new Error('This is no agent');"), ['is no']);
  assert.deepEqual(texts('The run goes on.'), ['goes on']);
});

test('finds a phrase that a line break divides, with or without the marks of a comment', () => {
  assert.deepEqual(texts('/**\n * The run goes\n * on.\n */'), ['goes on']);
  assert.deepEqual(texts('// The row is\n// no object'), ['is no']);
  assert.deepEqual(texts('It is\ntold twice.'), ['is told']);
});

test('names the line on which the phrase begins', () => {
  const [found] = findPhrases('one\ntwo\nthe run goes\non\n', bannedPhrases);
  assert.equal(found?.line, 3);
});

test('finds TSDoc that opens with a question word, on the line of the mark or the next', () => {
  assert.deepEqual(texts('/** What a run reports. */'), ['/** What']);
  assert.deepEqual(texts('/**\n * Whether it ran.\n */'), ['/** Whether']);
  assert.deepEqual(texts('/** True if it ran. */'), []);
});

test('leaves idiomatic uses alone', () => {
  const idiomatic =
    'is no longer; stands for; a stand-alone inbox; behind a proxy; behind the reverse proxy; understands';
  assert.deepEqual(texts(idiomatic), []);
});
