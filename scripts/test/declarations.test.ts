import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, test } from 'vitest';

import { exportedDeclarations } from '../lib/declarations.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ravi-declarations-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function declarationsOf(files: Record<string, string>): string[] {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return exportedDeclarations(join(folder, 'index.d.ts'));
}

test('exports are listed by name with their whole text and without comments', () => {
  const declarations = declarationsOf({
    'index.d.ts': `export { open, type Port } from './port.js';\nexport type { Mode } from './mode.js';\n`,
    'port.d.ts': `/** Secret: export { x }. */
export interface Port {
    /** In words. */
    close(): void;
}
export declare function open(name: string): Port;
export declare function open(name: URL): Port;
export declare const unlisted: number;
`,
    'mode.d.ts': `export type Mode = 'a' | 'b';\n`,
  });
  assert.deepEqual(declarations, [
    `export type Mode = 'a' | 'b';`,
    'export interface Port {\n    close(): void;\n}',
    'export declare function open(name: string): Port;\nexport declare function open(name: URL): Port;',
  ]);
});

test('a default export brings the declaration that it names', () => {
  const text = `declare const plugin: Plugin<Options>;\ninterface Options {\n}\nexport default plugin;\n`;
  assert.deepEqual(declarationsOf({ 'index.d.ts': text }), [
    'interface Options {\n}',
    'export default plugin;',
    'declare const plugin: Plugin<Options>;',
  ]);
});

test('locals of the same name in two files both belong to the contract', () => {
  const declarations = declarationsOf({
    'index.d.ts': `export { a } from './a.js';\nexport { b } from './b.js';\n`,
    'a.d.ts': 'interface Options {\n    one: 1;\n}\nexport declare function a(options: Options): void;\n',
    'b.d.ts': 'interface Options {\n    two: 2;\n}\nexport declare function b(options: Options): void;\n',
  });
  assert.equal(declarations.filter((text) => text.startsWith('interface Options')).length, 2);
});

test('an export that its file does not declare is an error, not a gap', () => {
  assert.throws(
    () => declarationsOf({ 'index.d.ts': `export { gone } from './a.js';\n`, 'a.d.ts': 'export {};\n' }),
    /declares no gone/,
  );
});
