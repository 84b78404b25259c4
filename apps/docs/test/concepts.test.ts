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
  const served =
    '[a direct call returns the result of the invoker, refusals included](../../apps/monolith/test/http.test.ts)';
  const unit = 'a tool that never returns times out exactly at callTimeoutMs and sees its signal abort';
  const lost =
    'the end of a call or a step is recorded once, also if the process that continues the run reports it too';
  const text = [
    '| concept | other names | name here | page | test |',
    '| --- | --- | --- | --- | --- |',
    `| sound | \`one\`; \`a \\| b\` | \`ToolInvoker\` | ${invoker} | ${served} |`,
    `| empty | | \`ToolInvoker\` | ${invoker} | ${served} |`,
    `| sound | \`one\` | \`ToolInvoker\` | ${invoker} | ${served} |`,
    `| absent | \`two\` | \`NoSuchName\` | ${invoker} | ${served} |`,
    `| lost | \`three\` | \`ToolInvoker\` | [page](../concepts/nowhere.md) | ${served} |`,
    `| untested | \`four\` | \`ToolInvoker\` | ${invoker} | [no such test](../../apps/monolith/test/http.test.ts) |`,
    `| partial | \`five\` | \`ToolInvoker\` | ${invoker} | [a direct call](../../apps/monolith/test/http.test.ts) |`,
    `| alone | \`six\` | \`ToolInvoker\` | ${invoker} | [${unit}](../../packages/invoker/test/execute.test.ts) |`,
    `| simulated | \`seven\` | \`ToolInvoker\` | ${invoker} | [${lost}](../../apps/monolith/test/lost-calls.test.ts) |`,
  ].join('\n');
  assert.deepEqual(
    conceptProblems(text).map((line) => line.replace('docs/reference/concepts.md: ', '')),
    [
      '“empty” has an empty cell',
      '“sound” repeats concept sound of “sound”',
      '“sound” repeats `one` of “sound”',
      '“absent” is on docs/concepts/invoker.md, which does not mention `NoSuchName`',
      '“lost” names the page [page](../concepts/nowhere.md), which does not exist',
      '“untested” names “no such test”, which is not a test of apps/monolith/test/http.test.ts',
      '“partial” names “a direct call”, which is not a test of apps/monolith/test/http.test.ts',
      '“alone” names a test in packages/invoker/test/execute.test.ts, which uses no server',
      '“simulated” names a test in apps/monolith/test/lost-calls.test.ts, which uses no server',
    ],
  );
});
