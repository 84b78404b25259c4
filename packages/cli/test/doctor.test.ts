import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'vitest';
import type { CheckResult } from '../src/commands/doctor.ts';
import { createRavi } from './support/ravi.ts';
import { runCaptured, startServer } from './support/server.ts';

interface Diagnosis {
  readonly status: string;
  readonly checks: readonly CheckResult[];
}

test('a sound installation passes every check, each by really using what it checks', async () => {
  await using ravi = await createRavi();
  const { code, output, errors } = await ravi.run(['doctor']);
  assert.equal(code, 0, output + errors);
  assert.match(output, /ok {6}configuration: .*ravi\.config\.json/);
  assert.match(output, /ok {6}blobStore @ravi\/blob-fs: writes, reads and deletes/);
  assert.match(output, /ok {6}sandbox @ravi\/sandbox-isolated-vm: runs javascript \(isolation: \w+\)/);
  assert.match(output, /ok {6}stateStore @ravi\/state-sqlite: writes, reads and deletes/);
  assert.match(output, /ok {6}tools: 9 tools; no risk declared by wait/);
  assert.match(output, /ok {6}skills: 0 skills, 0 kits, 0 tool skills/);
  using database = new DatabaseSync(join(ravi.folder, 'data/state.db'));
  assert.deepEqual(database.prepare('SELECT id FROM ravi_runs').all(), []);
});

test('a store that only a server needs by default is examined too', async () => {
  await using ravi = await createRavi({ 'data/state.db/in-the-way': '' });
  const { code, output } = await ravi.run(['doctor']);
  assert.equal(code, 1);
  assert.match(output, /failed {2}stateStore @ravi\/state-sqlite: /);
  assert.match(output, /ok {6}approvalHandler/);
});

test('what is broken is named with what to do, and the other plugins are examined all the same', async () => {
  const config = {
    plugins: { blobStore: { use: '@ravi/blob-fs', root: './file' }, sandbox: { use: '@ravi/sandbox-abacus' } },
  };
  await using ravi = await createRavi({ 'ravi.config.json': JSON.stringify(config), file: 'not a folder' });
  const { code, output } = await ravi.run(['doctor', '--json']);
  assert.equal(code, 1);
  const { status, checks } = JSON.parse(output) as Diagnosis;
  assert.equal(status, 'failed');
  const failed = checks.filter((each) => each.status === 'failed');
  assert.deepEqual(
    failed.map(({ check }) => check),
    ['blobStore @ravi/blob-fs', 'sandbox @ravi/sandbox-abacus'],
  );
  assert.match(failed[1]?.message ?? '', /npm install @ravi\/sandbox-abacus/);
  assert.ok(checks.some(({ check, status: each }) => check.startsWith('approvalHandler') && each === 'ok'));
});

test('a rule about tools that matches nothing is a failed check with a suggestion', async () => {
  const config = {
    tools: ['./tools'],
    toolAccess: { disabled: ['lanch', 'wait'] },
    agents: { one: { tools: { deny: ['ad'] } } },
  };
  await using ravi = await createRavi({ 'ravi.config.json': JSON.stringify(config) });
  const { code, output } = await ravi.run(['doctor']);
  assert.equal(code, 1);
  assert.match(
    output,
    /failed {2}rules about tools: toolAccess\.disabled: the pattern "lanch" matches no tool; did you mean launch\?; agents\.one: the pattern "ad" matches no tool; did you mean add\?\n/,
  );
});

test('agents without a server prints each warning once, also about settings that contradict each other', async () => {
  const config = {
    tools: ['./tools'],
    toolAccess: { disabled: ['wiat'] },
    agent: { budget: { maxTokens: 100 }, delegates: ['one'] },
    agents: { one: { tools: { allow: ['add', 'lanch'], deny: ['add'] }, budget: { maxTokens: 500 } } },
  };
  await using ravi = await createRavi({ 'ravi.config.json': JSON.stringify(config) });
  const { errors } = await ravi.run(['agents']);
  const count = (text: string): number => errors.split(text).length - 1;
  assert.equal(count('the pattern "lanch" matches no tool'), 1, errors);
  assert.equal(count('agents.one.tools: "add" is in "allow" and in "deny", which wins'), 1, errors);
  assert.equal(count('agents.one.budget.maxTokens is 500, above agent.budget.maxTokens, which is 100'), 1, errors);
  // The command does not print these itself.
  assert.equal(count('toolAccess.disabled: the pattern "wiat" matches no tool'), 1, errors);
});

test('a configuration that does not parse and a tool file that does not load are failed checks', async () => {
  await using ravi = await createRavi({ 'broken.json': '{', 'tools/torn.mjs': 'export default {' });
  const unparsed = await ravi.run(['doctor', '--config', 'broken.json']);
  assert.equal(unparsed.code, 1);
  assert.match(unparsed.output, /failed {2}configuration: .*broken\.json:1:/);
  const torn = await ravi.run(['doctor']);
  assert.equal(torn.code, 1);
  assert.match(torn.output, /failed {2}tools: torn\.mjs: SyntaxError/);
});

test('a tool that can never be called is a failed check and named', async () => {
  const zzz = `export default { name: 'zzz', description: 'x', risk: 'safe', inputSchema: { type: 'zzz' }, execute() {} };`;
  const bare = `import { defineTool } from '@ravi/kernel';
    export default defineTool({ name: 'bare', description: 'x', inputSchema: { type: 'object' } });`;
  await using ravi = await createRavi({ 'tools/zzz.mjs': zzz, 'tools/bare.mjs': bare });
  await mkdir(join(ravi.folder, 'node_modules/@ravi'), { recursive: true });
  await symlink(join(import.meta.dirname, '../../kernel'), join(ravi.folder, 'node_modules/@ravi/kernel'));
  const { code, output } = await ravi.run(['doctor']);
  assert.equal(code, 1);
  assert.match(output, /failed {2}tools: .*bare\.mjs: TypeError: The tool bare has no function execute/);
  assert.match(output, /zzz: The schema is not valid: type /);
});

test('a syntax error in TypeScript is named with file, line and column', async () => {
  const torn = 'const x: number = 1;\nexport default {\n  name: ,\n};\n';
  await using ravi = await createRavi({
    'torn.config.ts': torn,
    'tools/torn.ts': torn,
    'tools/far.ts': 'import "./torn.ts";',
  });
  const configured = await ravi.run(['doctor', '--config', 'torn.config.ts']);
  assert.match(configured.output, /failed {2}configuration: .*torn\.config\.ts:3:9: Expression expected/);
  const { output } = await ravi.run(['doctor']);
  assert.match(output, /torn\.ts: SyntaxError: Expression expected \(\/.*tools\/torn\.ts:3:9\)/);
  assert.match(output, /far\.ts: SyntaxError: Expression expected \(\/.*tools\/torn\.ts:3:9\)/);
});

test('with a server, doctor checks that server', async () => {
  await using server = await startServer();
  const { code, output } = await server.ravi(['doctor']);
  assert.equal(code, 0, output);
  assert.match(output, /ok {6}server: answers, with \d+ tools/);
  assert.match(output, /ok {6}access: the server accepts this caller/);
  assert.match(output, /ok {6}blobStore: healthy/);
  assert.doesNotMatch(output, /configuration/);
});

test('doctor says which address does not answer', async () => {
  const { code, output } = await runCaptured(['doctor', '--server', 'http://127.0.0.1:9'], { cwd: '.', env: {} });
  assert.equal(code, 1);
  assert.match(output, /failed {2}server: .*127\.0\.0\.1:9/);
});

test('doctor reports a token that the server refuses', async () => {
  const config = { server: { tokens: [{ token: { $env: 'TEST_TOKEN' }, principal: 'ada', roles: ['admin'] }] } };
  await using server = await startServer(
    { 'ravi.config.json': JSON.stringify(config) },
    { TEST_TOKEN: 'a'.repeat(32) },
  );
  const { code, output } = await server.ravi(['doctor'], { RAVI_TOKEN: 'b'.repeat(32) });
  assert.equal(code, 1);
  assert.match(output, /failed {2}access: /);
});
