import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'vitest';
import { read, root } from '../src/repository.ts';

const page = read('docs/reference/errors.md');
const documented = Array.from(page.matchAll(/^### `(E_[A-Z_]+)`$/gm), ([, code = '']) => code);

test('every code in the source has an entry, and every entry is a code of the source', () => {
  const exclude = (path: string): boolean =>
    /(^|\/)(node_modules|dist|test|testkit|docs|(state|providers|mcp)[\/-]testing)(\/|$)/.test(path);
  const files = globSync('{packages,apps}/**/src/**/*.ts', { cwd: root, exclude });
  const used = new Set(
    files.flatMap((file) => Array.from(read(file).matchAll(/'(E_[A-Z_]+)'/g), ([, code = '']) => code)),
  );
  assert.ok(files.length > 300 && used.size > 80, 'the source was found');
  assert.deepEqual(
    [...used].filter((code) => !documented.includes(code)).toSorted(),
    [],
    'add these to docs/reference/errors.md',
  );
  assert.deepEqual(
    documented.filter((code) => !used.has(code)),
    [],
    'the source has none of these',
  );
});

test('each code is listed once, with its meaning and what to do', () => {
  assert.equal(new Set(documented).size, documented.length);
  for (const code of documented) {
    const [, entry = ''] = page.split(`### \`${code}\`\n`);
    assert.match(entry, /^\n[^#\n].+\n\n\*\*Do:\*\* .+\n/, code);
  }
});
