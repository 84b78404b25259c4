import assert from 'node:assert/strict';

import { test } from 'vitest';

import { fillSnippets } from '../lib/snippets.ts';

const source = `
function outer() {
  // #region inner
  if (ready) {
    go('$1');
  }
  // #endregion
}
`;
const read = (path: string): string | undefined => (path === 'examples/a.ts' ? source : undefined);
const page = (path: string, body: string): string =>
  `before\n<!-- snippet: ${path} -->\n\`\`\`ts\n${body}\`\`\`\nafter\n`;

test('a block below its comment becomes the region, moved to the left, with every character kept', () => {
  const { text, snippets, problems } = fillSnippets(page('examples/a.ts#inner', 'old\n'), read);
  assert.equal(text, page('examples/a.ts#inner', "if (ready) {\n  go('$1');\n}\n"));
  assert.equal(snippets, 1);
  assert.deepEqual(problems, []);
});

test('a page that is in step stays as it is', () => {
  const filled = fillSnippets(page('examples/a.ts#inner', ''), read).text;
  assert.equal(fillSnippets(filled, read).text, filled);
});

test('a source or a region that does not exist is named and changes nothing', () => {
  for (const path of ['examples/a.ts#other', 'examples/b.ts#inner']) {
    const before = page(path, 'old\n');
    const { text, problems } = fillSnippets(before, read);
    assert.equal(text, before);
    assert.deepEqual(problems, [`${path.replace('#', ' has no region "')}"`]);
  }
});

test('a block without a comment stays unchanged', () => {
  assert.equal(fillSnippets('```ts\nx\n```\n', read).snippets, 0);
});
