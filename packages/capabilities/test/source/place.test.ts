import { expect, test } from 'vitest';
import { compileScript } from '../../src/source/compile-script.ts';
import { eraseTypes } from '../../src/source/erase-types.ts';
import { createLineIndex } from '../../src/source/text.ts';
import { originalOffset } from '../../src/source/offset-map.ts';

/** Returns the source text at the position of `mark` in the compiled code. */
function textAt(source: string, mark: string): string {
  const compiled = compileScript(source, eraseTypes);
  if (compiled.status !== 'ok') throw new Error(`does not compile: ${JSON.stringify(compiled)}`);
  return source.slice(originalOffset(compiled.map, compiled.code.indexOf(mark))).slice(0, mark.length);
}

const scripts: readonly (readonly [name: string, source: string])[] = [
  ['plain', 'const a = 1;\nreturn mark()'],
  ['a fence', '```ts\nconst a: number = 1;\nreturn mark()\n```\n'],
  ['a last expression', 'const a = 1; mark()'],
  ['a wrapper', 'async () => { mark() }'],
  ['a wrapper in a fence', '\n```js\nasync () => {\n  mark()\n}\n```'],
  ['export default', 'const b = 1;\nexport default { a: mark() }'],
  ['export default of a name', 'const mark = 1;\nexport default mark'],
  ['an object literal at the end', 'const b = 1;\n{ a: 1, b: mark() }'],
  ['an enum', 'enum A { B = 1, C = 2 }\nconst é = "😀"; type X = 1;\n   mark(A.B)'],
  ['an enum after letters of all kinds', 'const s = "é😀漢"; enum A { B }; mark()\nconst z = 1'],
  [
    'an enum in an object literal in a fence',
    '```ts\nenum A { B }\nconst x: A = A.B;\n{ a: 1 as number, b: mark(x) }\n```',
  ],
  ['a byte order mark', '\uFEFFmark()'],
];

for (const [name, source] of scripts) {
  test(`places are mapped back: ${name}`, () => {
    expect(textAt(source, 'mark')).toBe('mark');
  });
}

test('line and column convert both ways over all line ends', () => {
  const text = 'a\r\nb\nc\rd\u2028e';
  const index = createLineIndex(text);
  expect('abcde'.split('').map((letter) => index.positionOf(text.indexOf(letter)))).toEqual(
    [1, 2, 3, 4, 5].map((line) => ({ line, column: 1 })),
  );
  for (let offset = 0; offset <= text.length; offset++) expect(index.offsetOf(index.positionOf(offset))).toBe(offset);
  expect(index.offsetOf({ line: 99, column: 99 })).toBe(text.length);
});
