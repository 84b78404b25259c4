import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLocalTool, systemClock } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { createMemoryLogger, runTool } from '@ravi/testkit';
import { expect, test } from 'vitest';
import plugin from '../src/index.ts';
import type { ShellToolsOptions } from '../src/index.ts';

const whyNot = spawnSync('bwrap', ['--version']).error?.message;

/** Returns the example of the README with other folders. */
function example(folder: string): ShellToolsOptions {
  const text = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const [block = ''] = text.match(/```json\n[^`]*bwrap[^`]*```/u) ?? [];
  const { use, ...options } = JSON.parse(block.slice('```json'.length, -'```'.length)) as ShellToolsOptions & {
    readonly use: string;
  };
  expect(use).toBe('@ravi/tools-shell');
  return JSON.parse(JSON.stringify(options).replaceAll('/srv', folder)) as ShellToolsOptions;
}

test.skipIf(whyNot !== undefined)(
  `the example with bubblewrap runs commands and tests in the workspace, without a network and other files${whyNot === undefined ? '' : ` (${whyNot})`}`,
  async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'ravi-wrapper-')));
    const project = join(base, 'project');
    for (const name of ['project', 'reports']) mkdirSync(join(base, name));
    writeFileSync(join(base, 'secret.txt'), 'value-of-the-file-outside');
    writeFileSync(
      join(project, 'test_sum.py'),
      'def test_adds():\n    assert 1 + 1 == 2\n\ndef test_fails():\n    assert 1 == 2\n',
    );
    try {
      const context = { baseDir: base, clock: systemClock, logger: createMemoryLogger() };
      const source = await plugin.create({ ...example(base), python: '/usr/bin/python3' }, context);
      await using open = await source.open({ signal: new AbortController().signal, onChange: () => {} });
      const value = async (name: string, args: JsonObject): Promise<JsonObject> => {
        const tool = open.content().tools.find((each) => each.name === name);
        if (tool === undefined || !isLocalTool(tool)) throw new TypeError(`There is no tool ${name}`);
        const { result } = await runTool(tool, args);
        if (result.status !== 'ok') throw new Error(result.text);
        return result.structured as JsonObject;
      };
      const command = `pwd; cat ${base}/secret.txt; grep -c : /proc/net/dev; touch made; (setsid sleep 3600 &)`;
      const { output } = await value('bash', { command });
      expect(output).toBe(`${project}\ncat: ${base}/secret.txt: No such file or directory\n1\n`);
      expect(readdirSync(project).toSorted()).toEqual(['made', 'test_sum.py']);
      expect(await value('test_runner', {})).toMatchObject({
        runner: 'pytest',
        passed: 1,
        failed: 1,
        hasReport: true,
        failures: [{ name: 'test_sum.py::test_fails', file: 'test_sum.py', line: 5 }],
      });
      expect(readdirSync(join(base, 'reports'))).toEqual([]);
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
    expect(existsSync(base)).toBe(false);
  },
);
