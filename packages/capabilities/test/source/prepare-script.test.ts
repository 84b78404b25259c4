import { afterAll, expect, test } from 'vitest';
import { prepareScript } from '../../src/source/prepare-script.ts';
import { createScriptCompiler } from '../../src/source/script-compiler.ts';

const compiler = createScriptCompiler();
afterAll(() => compiler[Symbol.asyncDispose]());

const prepare = (source: string, maxSourceBytes = 262_144) => prepareScript(source, { compiler, maxSourceBytes });

async function errorOf(source: string) {
  const prepared = await prepare(source);
  if (prepared.status === 'ok') throw new Error('compiles');
  return prepared.error;
}

test('a syntax error names the line, the column and three lines of the source', async () => {
  expect(await errorOf('const a = 1;\nconst b = a +* 2;\nreturn b;\n// end')).toEqual({
    code: 'E_SCRIPT_SYNTAX',
    message: 'Unexpected token',
    line: 2,
    column: 14,
    excerpt: '  1 | const a = 1;\n> 2 | const b = a +* 2;\n  3 | return b;',
  });
});

const errors: readonly (readonly [source: string, line: number, column: number, message: string])[] = [
  ['const x: = 1', 1, 10, 'Unexpected token `=`'],
  ['const "é😀漢"', 1, 7, 'Unexpected token'],
  ['type A = 1;\n\tconst s = "é😀"; let b: = 3', 2, 26, 'Unexpected token `=`'],
  ['```ts\nlet b: = 3\n```', 2, 8, 'Unexpected token `=`'],
  ['return tools.x({', 1, 17, 'xpect'],
  ['const t = `never closed', 1, 11, 'Unterminated template'],
  ['const a = 1; const a = 2', 1, 20, "Identifier 'a' has already been declared"],
  ['const a: number = 1;\nconst a: number = 2', 2, 7, "Identifier 'a' has already been declared"],
  ['items.forEach((x) => { await x })', 1, 24, 'await'],
  ['import { readFile } from "node:fs"\nreturn 1', 1, 1, 'import is not available'],
  ['const n: number = 1\nimport fs from "node:fs"', 2, 1, 'import is not available'],
  ['export const x = 1', 1, 1, 'export is not available'],
  ['export default 1\nexport default 2', 2, 1, 'only one export default'],
  ['export default 1\nconst x = 2', 1, 1, 'must be the last statement'],
  ['@decorated class A {}', 1, 1, 'Unexpected character'],
  ['return <div/>', 1, 13, 'Expression expected'],
  ['#!/usr/bin/env node\nreturn 1', 1, 2, "Unexpected character '!'"],
];

for (const [source, line, column, message] of errors) {
  test(`the place of an error is right: ${JSON.stringify(source).slice(0, 50)}`, async () => {
    const error = await errorOf(source);
    expect(error).toMatchObject({ line, column });
    expect(error.message).toContain(message);
    expect(error.excerpt).toContain(`> ${line} | `);
  });
}

test('a script over the limit is refused with both numbers', async () => {
  const prepared = await prepare('é'.repeat(600), 1_000);
  expect(prepared).toEqual({
    status: 'error',
    error: { code: 'E_LIMIT_SOURCE', message: 'The script has 1200 bytes; the limit maxSourceBytes is 1000' },
  });
});

test('a position in the code is one in the source', async () => {
  const prepared = await prepare('```ts\nconst n: number = 1;\nn.missing()\n```');
  if (prepared.status !== 'ok') throw new Error('does not compile');
  expect(prepared.toOriginal({ line: 2, column: 'return n.missing'.length })).toEqual({ line: 3, column: 9 });
});

const hostile: readonly (readonly [name: string, source: string])[] = [
  ['nested parentheses with types', `let x: number = ${'('.repeat(20_000)}1${')'.repeat(20_000)}`],
  ['nested types', `let x: ${'A<'.repeat(20_000)}B${'>'.repeat(20_000)}`],
  ['nested brackets', '['.repeat(100_000)],
  ['chained operators', `let x: number = 1${'+1'.repeat(100_000)}`],
];

for (const [name, source] of hostile) {
  test(`${name} are refused, and the next script compiles`, async () => {
    expect((await errorOf(source)).code).toBe('E_SCRIPT_SYNTAX');
    expect(await prepare('const x: number = 1; return x')).toMatchObject({ status: 'ok' });
  });
}

test('a script that takes the compiler ages is given up, and the next one compiles', async () => {
  await using impatient = createScriptCompiler({ timeLimitMs: 500 });
  const endless = await impatient.compile('<T>('.repeat(60));
  expect(endless).toMatchObject({ status: 'problem', message: expect.stringContaining('longer than 500 ms') });
  expect(await impatient.compile('let x: number = 1')).toMatchObject({ status: 'ok' });
});

test('many scripts at once all compile', async () => {
  const compiled = await Promise.all(Array.from({ length: 50 }, (_, index) => prepare(`return ${index} as number`)));
  expect(compiled.map((script) => script.status)).toEqual(Array.from({ length: 50 }, () => 'ok'));
});

test('a compiler that was disposed of starts again', async () => {
  const own = createScriptCompiler();
  expect(await own.compile('let x: number')).toMatchObject({ status: 'ok' });
  await own[Symbol.asyncDispose]();
  expect(await own.compile('let x: number')).toMatchObject({ status: 'ok' });
  await own[Symbol.asyncDispose]();
});

test('an excerpt cuts long lines around the place', async () => {
  const error = await errorOf(`const a = "${'x'.repeat(5_000)}" +* 2`);
  expect(error.excerpt!.length).toBeLessThan(200);
  expect(error.excerpt).toContain('+*');
});
