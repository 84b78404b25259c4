import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import type { Ended } from './support/ravi.ts';
import { runCaptured } from './support/server.ts';

test('lists every tool with its risk and the first line of its description', async () => {
  await using own = await createFolder();
  const run = (...args: string[]): Promise<Ended> => runCaptured(args, { cwd: own.folder, env: {} });
  const { code, output } = await run('tools', 'list');
  assert.equal(code, 0);
  const lines = output.trim().split('\n');
  assert.equal(lines[0], 'add                safe      Adds two numbers.');
  assert.equal(lines[1], 'launch             high      Leaves a line in a file.');
  assert.deepEqual(
    lines.map((line) => line.split(' ', 1)[0]),
    ['add', 'launch', 'wait', 'search_tools', 'describe_tool', 'ask_user', 'ask_clarification', 'info', 'tool_chain'],
  );
  const high = await run('tools', 'list', '--risk', 'high');
  assert.equal(high.output, 'launch  high      Leaves a line in a file.\n');
  assert.equal((await run('tools', 'list', '--risk', 'low')).code, 2);
  const json = await run('tools', 'list', '--json');
  const { tools } = JSON.parse(json.output) as { tools: { name: string; source: string }[] };
  assert.deepEqual(
    tools.map(({ source }) => source),
    ['tools', 'tools', 'tools', ...Array.from({ length: 6 }, () => 'built-in')],
  );
});

test('describes one tool with its schemas, and suggests a name for an unknown one', async () => {
  await using own = await createFolder();
  const run = (...args: string[]): Promise<Ended> => runCaptured(args, { cwd: own.folder, env: {} });
  const { code, output } = await run('tools', 'describe', 'add');
  assert.equal(code, 0);
  assert.match(output, /^add \(local, safe, from tools\)\n\nAdds two numbers\.\nNothing else\.\n\ninput \{/);
  assert.match(output, /output \{\n {2}"type": "number"\n\}/);
  const json = await run('tools', 'describe', 'add', '--json');
  assert.equal((JSON.parse(json.output) as { risk: string }).risk, 'safe');

  const unknown = await run('tools', 'describe', 'lunch');
  assert.equal(unknown.code, 2);
  assert.match(unknown.errors, /E_TOOL_UNKNOWN: There is no tool "lunch"; did you mean launch\?/);
});
