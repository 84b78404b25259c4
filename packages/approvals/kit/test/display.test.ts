import assert from 'node:assert/strict';
import type { JsonObject } from '@ravi/kernel';
import { createArgumentTree } from '@ravi/testkit';
import { test } from 'vitest';
import { displayArguments, markText, shownJson } from '../src/index.ts';

function marks(text: string): readonly (string | undefined)[] {
  return markText(text).flatMap(({ mark }) => (mark === undefined ? [] : [mark]));
}

test('the rows of 200 generated argument trees parse to exactly the arguments, and no row is long', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const { args } = createArgumentTree(seed);
    const display = displayArguments({ args });
    assert.deepEqual(JSON.parse(shownJson(display)), JSON.parse(JSON.stringify(args)), `seed ${seed}`);
    for (const { segments } of display.rows) {
      assert.ok(segments.reduce((length, { text }) => length + text.length, 0) < 3_000, `seed ${seed}`);
    }
  }
});

test('invisible characters, unusual spaces and lookalikes are marked; ordinary text of any script is not', () => {
  for (const text of ['\u200b', '\u202e', '\u{e0041}', '\u2800', '\u3164', '\ue000', '\ud800', '\u0007', '\u2028']) {
    assert.deepEqual(marks(`a${text}b`), ['invisible'], JSON.stringify(text));
  }
  for (const text of ['\u00a0', '\u2003', '\u3000'])
    assert.deepEqual(marks(`a${text}b`), ['space'], JSON.stringify(text));
  for (const text of ['раypal', 'аре', 'ｐay', '𝐩ay', 'pаy', 'Αpple', 'a⁄b', '1٢3', 'e\u0301\u0301\u0301']) {
    assert.ok(marks(text).includes('lookalike'), text);
  }
  for (const text of [
    'plain',
    'Привет, оса и рука',
    'Καλημέρα',
    '漢字と仮名',
    'مرحبا',
    'naïve Ærø',
    '"\\\n\t',
    'Tシャツ 50 €',
  ]) {
    assert.deepEqual(marks(text), [], text);
  }
});

test('a secret is marked where it is hidden, a text that only looks like one is not, and an artifact can be opened', () => {
  const args: JsonObject = { pin: 'a=[redacted]&b', note: '[redacted]', file: { $artifact: 'blob_1' } };
  const { rows, artifacts } = displayArguments({ args, hidden: ['/pin'] });
  const marked = rows.flatMap(({ segments }) => segments.filter(({ mark }) => mark !== undefined));
  assert.deepEqual(
    marked.map(({ text, mark }) => [text, mark]),
    [
      ['"blob_1"', 'artifact'],
      ['[redacted]', 'hidden'],
    ],
  );
  assert.deepEqual(artifacts, ['blob_1']);
});
