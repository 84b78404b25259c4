import { expect, test } from 'vitest';
import { codeOf, valueOf } from './run-source.ts';

const tools = { rows: async () => [{ id: 1 }, { id: 2 }] };

const scripts: readonly (readonly [name: string, source: string, value: unknown])[] = [
  ['annotations', 'const x: number = 1; let y: string | undefined; return [x, y ?? null]', [1, null]],
  [
    'interfaces and types',
    'interface Row { id: number }\ntype Rows = Row[];\nconst r: Rows = await tools.rows({}); return r.length',
    2,
  ],
  ['as, satisfies and non-null', 'const x = (1 as unknown) as number; return [x satisfies number, x!]', [1, 1]],
  ['type arguments of a call', 'return (await tools.rows<{ id: number }>({})).length', 2],
  ['type arguments that read as comparisons', 'const r = await tools.rows<Row>({}); return r.length', 2],
  ['nested type arguments that read as shifts', 'const r = await tools.rows<Array<Row>>({}); return r.length', 2],
  ['type arguments of a constructor', 'return new Map<string, Array<number>>([["a", [1]]]).size', 1],
  ['type arguments of a tagged template', 'const tag = (s) => s.raw[0]; return tag<string>`x`', 'x'],
  ['generic functions', 'const first = <T,>(list: T[]): T | undefined => list[0]; return first<number>([5])', 5],
  ['a typed wrapper', 'async (): Promise<number> => {\n  return 3;\n}', 3],
  ['a typed export default', 'export default async function main(): Promise<number> { return 4 }', 4],
  ['a typed export default expression', 'export default ((1 as number) + 1)', 2],
  ['a typed object literal at the end', 'const n: number = 1;\n{ a: n as number, b: 2 }', { a: 1, b: 2 }],
  ['types around one function', 'type A = 1;\nasync function main(): Promise<A> { return 1 }\ninterface B {}', 1],
  ['enums', 'enum Color { Red, Green = "g" }\nreturn [Color.Red, Color.Green]', [0, 'g']],
  ['const enums', 'const enum Size { Small = 1 }\nreturn Size.Small', 1],
  ['namespaces', 'namespace Units { export const gram = 2 }\nreturn Units.gram', 2],
  [
    'parameter properties',
    'class Box { constructor(private readonly value: number) {} get() { return this.value } }\nreturn new Box(3).get()',
    3,
  ],
  [
    'abstract and declare',
    'abstract class A { abstract x(): number; declare y: string }\nclass B extends A { override x() { return 1 } }\nreturn new B().x()',
    1,
  ],
  ['angle-bracket assertions', 'const x: unknown = 1; return <number>x', 1],
  [
    'this parameters, optional parameters and asserts',
    'function f(this: void, a?: number): asserts a is number {}\nreturn f.length',
    1,
  ],
  [
    'overloads',
    'function f(a: string): 1;\nfunction f(a: number): 2;\nfunction f(a: unknown) { return a }\nreturn f(3)',
    3,
  ],
];

for (const [name, source, value] of scripts) {
  test(`${name} are erased`, async () => {
    expect(await valueOf(source, tools)).toEqual(value);
  });
}

test('erased types leave everything where it was', () => {
  const source = 'type A = "é😀";\nconst x: Array<"漢😀"> = [];\n  return x as A[]';
  const code = codeOf(source);
  expect(code).toHaveLength(source.length);
  expect(code.indexOf('return')).toBe(source.indexOf('return'));
});

test('a script with an enum keeps its strings and templates', async () => {
  const source = 'enum A { B }\nconst s = "\\u00e9 é😀 \\x41 \'q\'"; const t = `a\n    b ${s}`;\nreturn [s, t]';
  expect(await valueOf(source)).toEqual(["é é😀 A 'q'", "a\n    b é é😀 A 'q'"]);
});
