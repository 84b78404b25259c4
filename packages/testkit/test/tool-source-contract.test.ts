import assert from 'node:assert/strict';
import { defineTool, defineToolSource } from '@ravi/kernel';
import type { Tool, ToolSource } from '@ravi/kernel';
import { test } from 'vitest';
import { createTestToolSource } from '../src/index.ts';
import { toolSourceContract } from '../src/tool-source.ts';
import { failuresOf, runSuite } from './run-suite.ts';

const toolOf = (name: string): Tool =>
  defineTool({ name, description: 'A tool.', inputSchema: { type: 'object' }, execute: () => 'done' });

test('the double passes every test, with changes', async () => {
  const report = await runSuite((run) =>
    toolSourceContract(
      run,
      () => {
        const source = createTestToolSource({ tools: [toolOf('a')] });
        return { source, change: () => source.change([toolOf('b')]) };
      },
      { changes: true },
    ),
  );
  assert.deepEqual(failuresOf(report), []);
  assert.equal(Object.values(report).includes('skipped'), false);
});

test('a source that does not change passes, and its missing changes are skipped with the reason', async () => {
  const source = defineToolSource({ name: 'fixed', load: () => ({ tools: [toolOf('a')], failures: [] }) });
  const report = await runSuite((run) => toolSourceContract(run, () => ({ source })));
  assert.deepEqual(failuresOf(report), []);
  assert.deepEqual(
    Object.keys(report).filter((name) => report[name] === 'skipped'),
    ['a change is reported (this source does not change)'],
  );
});

const good = createTestToolSource({ tools: [toolOf('a')] });
const bad: Readonly<Record<string, readonly [ToolSource, failing: string]>> = {
  'tools of the same name': [
    createTestToolSource({ tools: [toolOf('a'), toolOf('a')] }),
    'an open source has tools of different names that can be offered',
  ],
  'no tools': [createTestToolSource(), 'an open source has tools of different names that can be offered'],
  'a new content for each look': [
    {
      ...good,
      async open(options) {
        const opened = await good.open(options);
        return { ...opened, content: () => ({ ...opened.content() }), [Symbol.asyncDispose]: async () => {} };
      },
    },
    'content and status are the same objects while nothing changes',
  ],
  'a place with a query': [
    createTestToolSource({ tools: [toolOf('a')], status: { place: 'https://a.example/?key=1' } }),
    'the status of a remote source names its place without a query, and a program that is ready',
  ],
  'a signal that is ignored': [
    { ...good, open: (options) => good.open({ ...options, signal: new AbortController().signal }) },
    'opening is cancelled by its signal',
  ],
};

for (const [what, [source, failing]] of Object.entries(bad)) {
  test(`a source with ${what} fails`, async () => {
    const failures = failuresOf(await runSuite((run) => toolSourceContract(run, () => ({ source }))));
    assert.ok(failures.includes(failing), JSON.stringify(failures));
  });
}

test('a source that reports changes too early or after its disposal fails', async () => {
  const failing = async (source: ToolSource, change: () => void): Promise<readonly string[]> =>
    failuresOf(await runSuite((run) => toolSourceContract(run, () => ({ source, change }), { changes: true })));
  const early = createTestToolSource({ tools: [toolOf('a')] });
  const opening: ToolSource = {
    ...early,
    open: (options) => {
      options.onChange();
      return early.open(options);
    },
  };
  assert.ok(
    (await failing(opening, () => early.change([toolOf('b')]))).includes(
      'a change is reported, and the content is then another object',
    ),
  );
  const late = createTestToolSource({ tools: [toolOf('a')] });
  const undying: ToolSource = {
    ...late,
    open: async (options) => ({ ...(await late.open(options)), async [Symbol.asyncDispose]() {} }),
  };
  assert.ok(
    (await failing(undying, () => late.change([toolOf('b')]))).includes('a source that was disposed reports no change'),
  );
});
