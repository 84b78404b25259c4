import { expect, test } from 'vitest';
import { codeOf, valueOf } from './run-source.ts';

const values: readonly (readonly [name: string, source: string, value: unknown])[] = [
  ['return', 'return 1 + 1', 2],
  ['top-level await', 'const x = await Promise.resolve(4); return x', 4],
  ['using at the top level', 'using held = { [Symbol.dispose]() {} }; return 5', 5],
  ['await using at the top level', 'await using held = { async [Symbol.asyncDispose]() {} };\nreturn 6', 6],
  ['a last expression', 'const x = 4\nx * 2', 8],
  ['a last expression with semicolon and comment', 'const x = 4;\nx * 2; // twice\n/* end */', 8],
  ['a last expression without semicolon before a comment', 'x = 4\nx // four', 4],
  ['a last sequence', '1, 2', 2],
  ['a last await', 'await Promise.resolve("a")', 'a'],
  ['a directive alone', '"just text"', 'just text'],
  ['a directive before', '"use strict"\n;[1].length', 1],
  ['an arrow function', 'async () => { return 3 }', 3],
  ['an arrow function in parentheses with semicolon', '(async () => {\n  return 3;\n});', 3],
  ['an arrow function with an expression', '() => 7', 7],
  ['a function that is called', '(async () => 5)()', 5],
  ['a function declaration', 'async function main() {\n  return 6\n}\n', 6],
  ['a function declaration with a call after it', 'async function main() { return 6 }\nmain();', 6],
  ['a call before its function', 'await main();\nasync function main() { return 8 }', 8],
  ['a function after declarations', 'const two = 2;\nasync () => two', 2],
  ['export default of an expression', 'const a = [1];\nexport default a.map((x) => x + 1);', [2]],
  ['export default of an object', 'export default { a: 1 }', { a: 1 }],
  ['export default of a named function', 'export default async function main() { return limit }\nconst limit = 3;', 3],
  [
    'export default of a recursive function',
    'export default function f(n = 3) { return n === 0 ? "end" : f(n - 1) }',
    'end',
  ],
  ['export default of an anonymous function', 'export default async function () { return 4 }', 4],
  ['export default of an arrow function', 'export default async () => 4;', 4],
  ['export default of a name', 'const main = async () => 9\nexport default main', 9],
  ['export default of a value by name', 'const rows = [1]\nexport default rows', [1]],
  ['export default before a hoisted function', 'export default twice(2)\nfunction twice(x) { return x * 2 }', 4],
  ['an object literal', '{ "a": 1, b: [2] }', { a: 1, b: [2] }],
  ['a short object literal', '{ a: 1 }', { a: 1 }],
  ['an object literal in parentheses', '({ a: 1 })', { a: 1 }],
  ['an object literal at the end', 'const total = 3;\n{ total }', { total: 3 }],
  [
    'an object literal over lines',
    'const n = 1;\n{\n  rows: [\n    { id: n, b: 2 },\n  ],\n  n,\n  more: {\n    x: 1,\n  },\n};\n',
    { rows: [{ id: 1, b: 2 }], n: 1, more: { x: 1 } },
  ],
  ['a block with statements', 'let x = 1;\n{ x = 2; }', undefined],
  ['a loop at the end', 'for (const x of [1]) { x }', undefined],
  ['nothing', '', undefined],
  ['a declaration at the end', 'const x = 1', undefined],
  ['line ends of Windows', 'const x = `a\r\nb`;\r\nreturn [x, 2]', ['a\nb', 2]],
  ['a byte order mark', '\uFEFFreturn 1', 1],
  ['letters of all kinds', 'const größe = "né😀"; return größe', 'né😀'],
  ['a comparison that could be a call', 'const a = 1, b = 2, c = 3; return (a < b) > (c)', false],
];

for (const [name, source, value] of values) {
  test(`${name} gives the value`, async () => {
    expect(await valueOf(source)).toEqual(value);
  });
}

test('a template literal keeps its lines and indentation', async () => {
  const text = 'a\n  b\n\tc ```js\nexport default 1\n```\n';
  expect(await valueOf(`const x = \`${text.replaceAll('`', '\\`')}\`\nx`)).toBe(text);
});

test('a script whose value is clear stays byte for byte', () => {
  const source = "const a = 'x\\\n  y';\n\treturn  a ;  // end";
  expect(codeOf(source)).toBe(source);
});

test('no statement of a script can leave its function', () => {
  expect(() => codeOf('}\nglobalThis.left = true\n{')).toThrow('does not compile');
  expect(() => codeOf('const a: number = 1 };\nglobalThis.left = true;\nasync () => {')).toThrow('does not compile');
});
