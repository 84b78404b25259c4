import assert from 'node:assert/strict';
import { test } from 'vitest';
import { conceptProblems, conceptsOf } from '../src/concepts.ts';
import { read } from '../src/repository.ts';

test('every concept has a page that mentions it and a test that uses a server', () => {
  assert.deepEqual(conceptProblems(), []);
  assert.ok(conceptsOf(read('docs/reference/concepts.md')).length > 150);
});

test('a row without a cell, a page, a name or a test is reported', () => {
  const invoker = '[invoker](../concepts/invoker.md)';
  const served = '[a direct call returns the result of the invoker](../../apps/monolith/test/http.test.ts)';
  const text = [
    '| concept | other names | name here | page | test |',
    '| --- | --- | --- | --- | --- |',
    `| sound | \`one\`; \`a \\| b\` | \`ToolInvoker\` | ${invoker} | ${served} |`,
    `| empty | | \`ToolInvoker\` | ${invoker} | ${served} |`,
    `| sound | \`one\` | \`ToolInvoker\` | ${invoker} | ${served} |`,
    `| absent | \`two\` | \`NoSuchName\` | ${invoker} | ${served} |`,
    `| lost | \`three\` | \`ToolInvoker\` | [page](../concepts/nowhere.md) | ${served} |`,
    `| untested | \`four\` | \`ToolInvoker\` | ${invoker} | [no such test](../../apps/monolith/test/http.test.ts) |`,
    `| alone | \`five\` | \`ToolInvoker\` | ${invoker} | [import](../../packages/invoker/test/execute.test.ts) |`,
  ].join('\n');
  assert.deepEqual(
    conceptProblems(text).map((line) => line.replace('docs/reference/concepts.md: ', '')),
    [
      '“empty” has an empty cell',
      '“sound” repeats concept sound of “sound”',
      '“sound” repeats `one` of “sound”',
      '“absent” is on docs/concepts/invoker.md, which does not mention `NoSuchName`',
      '“lost” names the page [page](../concepts/nowhere.md), which does not exist',
      '“untested” names “no such test”, which apps/monolith/test/http.test.ts does not contain',
      '“alone” names a test in packages/invoker/test/execute.test.ts, which uses no server',
    ],
  );
});
