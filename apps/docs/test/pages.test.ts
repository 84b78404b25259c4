import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@ravi/host';
import { test } from 'vitest';
import { linkProblems } from '../src/links.ts';
import { isInternal, sidebar } from '../src/navigation.ts';
import { pageAddress } from '../src/pages.ts';
import { markdownFiles, read } from '../src/repository.ts';
import { schemaRows } from '../src/reference/schema-rows.ts';
import { table } from '../src/reference/table.ts';

test('a link to a missing file or heading is reported, and links in code are ignored', () => {
  const text = [
    '[here](architecture.md#layers), [outside](https://example.org), [folder](../examples/first-tool)',
    '[no file](nowhere.md), [no heading](architecture.md#nothing), [own heading](#missing)',
    '`[code](nowhere.md)`',
    '```md\n[code](nowhere.md)\n```',
  ].join('\n');
  assert.deepEqual(linkProblems('docs/security.md', text), [
    'docs/security.md: nowhere.md does not exist',
    'docs/security.md: docs/architecture.md has no heading #nothing',
    'docs/security.md: docs/security.md has no heading #missing',
  ]);
});

test('the sidebar lists every page once, except those about the project itself', () => {
  const links = sidebar().flatMap(({ items = [] }) => items.map(({ link }) => link));
  const pages = markdownFiles().filter(
    (path) => path !== 'README.md' && pageAddress(path) !== undefined && !isInternal(path),
  );
  assert.ok(pages.length > 50);
  assert.equal(new Set(links).size, links.length, 'two pages have one address');
  assert.deepEqual(links.map(String).toSorted(), pages.map((path) => `/${pageAddress(path)}`).toSorted());
});

test('a table of a schema names nested keys by their path, and shows HTML and bars as they are', () => {
  const schema = {
    type: 'object',
    required: ['from'],
    properties: {
      from: { type: 'integer', minimum: 1, description: 'At <least> a|b.' },
      inner: { type: 'object', properties: { list: { type: 'array', items: { enum: ['a'] }, default: [] } } },
    },
  };
  assert.equal(
    table(['key', 'type', 'default', 'meaning'], schemaRows(schema)),
    [
      '| key          | type          | default  | meaning             |',
      '| ------------ | ------------- | -------- | ------------------- |',
      '| `from`       | integer ≥ 1   | required | At &lt;least> a\\|b. |',
      '| `inner.list` | list of `"a"` | `[]`     |                     |',
    ].join('\n'),
  );
});

test('every configuration in the documentation is valid', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-docs-'));
  try {
    const blocks = markdownFiles()
      .filter((path) => path.startsWith('docs/') || path === 'README.md')
      .flatMap((path) =>
        Array.from(read(path).matchAll(/^```json\n([\s\S]*?)^```$/gm), ([, json = '']) => ({ path, json })),
      )
      .filter(({ json }) => /^\s*\{\s*"(?:tools|plugins|server|policy|chains|agent)"/.test(json));
    assert.ok(blocks.length >= 4);
    for (const { path, json } of blocks) {
      const file = join(folder, 'ravi.config.json');
      await writeFile(file, json);
      await assert.doesNotReject(loadConfig({ path: file, cwd: folder, env: {} }), path);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
