import { expect, test } from 'vitest';
import { quoted, quotedPaths, toolReply } from '../src/index.ts';

test('a reply has text for a model and a value for a script', () => {
  expect(toolReply('one', { a: 1 })).toEqual({
    content: [{ type: 'text', text: 'one' }],
    isError: false,
    structuredContent: { a: 1 },
  });
});

test('values of a summary are quoted, escaped and short', () => {
  expect(quoted('a"\n\u001B[1m')).toBe(String.raw`"a\"\n\u001b[1m"`);
  expect(quoted('x'.repeat(200))).toHaveLength(102);
  expect(quotedPaths(['a', 'b'])).toBe('"a", "b"');
  expect(quotedPaths(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe('"a", "b", "c", "d", "e" and 2 more');
});
