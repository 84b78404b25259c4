import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { RaviConfig } from '@ravi/host';
import { test } from 'vitest';
import { approve, pendingOf, send, until } from './support/run-requests.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const files = {
  'project/package.json': '{"type":"module","scripts":{"test":"node --test"}}',
  'project/sum.js': 'export const sum = (a, b) => a - b;\n',
  'project/sum.test.js': `import test from 'node:test';
import assert from 'node:assert/strict';
import { sum } from './sum.js';
test('adds', () => assert.equal(sum(1, 2), 3));
`,
};

function startWith(config: RaviConfig = {}, shell: object = {}, isServer = true): Promise<TestServer> {
  const toolSource = [
    { use: '@ravi/tools-search', root: 'project' },
    { use: '@ravi/tools-shell', root: 'project', ...shell },
  ];
  return startServer({ ...config, plugins: { toolSource } }, files, { isServer });
}

test('a script searches at once, and each command waits for a person who sees what it does', async () => {
  await using server = await startWith();
  const inProject = (path: string): string => join(server.installation.folder, 'project', path);
  const code = `
    const { files } = await tools.glob({ pattern: '*.js' });
    const { matches } = await tools.grep({ pattern: 'a - b' });
    const before = await tools.test_runner({});
    const fix = await tools.bash({ command: "sed -i 's/a - b/a + b/' sum.js && echo fixed >&2" });
    const after = await tools.test_runner({});
    const pushed = await tools.bash.safe({ command: 'git push origin main; touch pushed' });
    return [files, matches[0].line, before.failed, before.failures[0].name, fix.output, after.passed, pushed.error.code];`;
  const { id } = await send(server.url, '/v1/runs', { kind: 'chain', code });
  const decide = async (
    expected: readonly [tool: string, risk: string, summary: RegExp],
    decision: string,
  ): Promise<void> => {
    const [pending] = await pendingOf(server.url, id, 1);
    assert.deepEqual([pending.tool, pending.risk], expected.slice(0, 2));
    assert.match(pending.summary, expected[2]);
    await approve(server.url, pending, { decision });
  };
  await decide(['test_runner', 'high', /^Run all tests/u], 'approved');
  await decide(['bash', 'high', /^Run in the shell: "sed -i/u], 'approved');
  await decide(['test_runner', 'high', /^Run all tests/u], 'approved');
  await decide(['bash', 'critical', /sends commits to another repository \(git push\)/u], 'denied');
  await until(server.url, id, 'run-end');
  const { body: run } = await server.get(`/v1/runs/${id}`);
  assert.deepEqual(run.outcome.result.value, [
    ['sum.js', 'sum.test.js'],
    1,
    1,
    'adds',
    'fixed\n',
    1,
    'E_APPROVAL_DENIED',
  ]);
  assert.equal(readFileSync(inProject('sum.js'), 'utf8'), 'export const sum = (a, b) => a + b;\n');
  assert.equal(existsSync(inProject('pushed')), false);
});

test('a policy that lets high calls run still asks for critical ones, and a command sees no secret of the server', async () => {
  process.env['SERVER_SECRET'] = 'value-of-the-secret';
  try {
    await using server = await startWith({ policy: { maxRiskUnapproved: 'high' } }, {}, false);
    const { body } = await server.post('/v1/tools/bash', { args: { command: 'env; export -p' } });
    assert.equal(body.status, 'ok');
    assert.ok(!JSON.stringify(body).includes('value-of-the-secret'));
    const script = `return [(await tools.bash.safe({ command: 'rm -rf .' })).error.code, (await tools.grep.safe({ pattern: '(' })).error.code,
      (await tools.bash.safe({ command: 'ls', cwd: '..' })).error.code, (await tools.tree({})).entries.length];`;
    const { body: chain } = await server.chain(script);
    assert.deepEqual(chain.value, ['E_APPROVAL_DENIED', 'E_ARGUMENTS_INVALID', 'E_PATH_OUTSIDE', 3]);
  } finally {
    delete process.env['SERVER_SECRET'];
  }
});

test('with a container, commands and tests of a script run in one that is gone afterwards, and an approval comes first', async (context) => {
  const image = 'ravi-commands:test';
  const { status, stderr, error } = spawnSync('docker', ['image', 'inspect', image], { encoding: 'utf8' });
  context.skip(status !== 0, error?.message ?? stderr);
  process.env['SERVER_SECRET'] = 'value-of-the-secret';
  try {
    await using server = await startWith({}, { container: { image } });
    const code = `
      const { output } = await tools.bash({ command: 'env; ls; cat ../ravi.config.json; cat /etc/hostname' });
      const { failed, failures } = await tools.test_runner({});
      return [output, failed, failures[0].name];`;
    const { id } = await send(server.url, '/v1/runs', { kind: 'chain', code });
    for (const tool of ['bash', 'test_runner']) {
      const [pending] = await pendingOf(server.url, id, 1);
      assert.deepEqual([pending.tool, pending.risk], [tool, 'high']);
      await approve(server.url, pending);
    }
    await until(server.url, id, 'run-end');
    const { body: run } = await server.get(`/v1/runs/${id}`);
    const [output, ...tests] = run.outcome.result.value;
    assert.match(output, /\npackage\.json\nsum\.js\nsum\.test\.js\ncat: [^\n]*: No such file or directory\nravi\n$/u);
    assert.ok(!output.includes('value-of-the-secret'));
    assert.deepEqual(tests, [1, 'adds']);
    const root = join(realpathSync(server.installation.folder), 'project');
    const left = spawnSync('docker', ['ps', '--all', '--quiet', `--filter=volume=${root}`], { encoding: 'utf8' });
    assert.deepEqual([left.status, left.stdout], [0, '']);
  } finally {
    delete process.env['SERVER_SECRET'];
  }
});

test('with safeCommands a command that only reads runs at once', async () => {
  await using server = await startWith({}, { safeCommands: true, tools: ['bash'] });
  const { body } = await server.post('/v1/tools/bash', { args: { command: 'head -n 1 sum.js' } });
  assert.equal(body.structured.output, 'export const sum = (a, b) => a - b;\n');
  const { body: tools } = await server.get('/v1/tools');
  const names = (tools.items as readonly { readonly name: string }[]).map(({ name }) => name);
  assert.ok(names.includes('bash') && !names.includes('python'));
});

test('a model reads as much of an output as the policy lets it', async () => {
  const command = { args: { command: 'seq 1 5000; head -c 40000 /dev/zero | tr "\\\\0" x' } };
  const textOf = async (maxInlineResultBytes: number): Promise<string> => {
    await using server = await startWith({ policy: { maxRiskUnapproved: 'high', maxInlineResultBytes } }, {}, false);
    const { body } = await server.post('/v1/tools/bash', command);
    return body.text;
  };
  const short = await textOf(4_096);
  assert.match(short, /^1\n2\n[^]*bytes left out here[^]*xxx\nExit code 0/u);
  const beforeNote = short.indexOf('Exit code 0');
  assert.ok(beforeNote > 2_000 && beforeNote < 3_072, `${beforeNote}`);
  const whole = await textOf(1_000_000);
  assert.match(whole, /\n2500\n[^]*xxx\nExit code 0$/u);
  const files = Array.from({ length: 400 }, (_, index) => `file-${index}.txt`);
  await using server = await startServer(
    {
      policy: { maxInlineResultBytes: 100_000 },
      plugins: { toolSource: [{ use: '@ravi/tools-search', root: 'many' }] },
    },
    Object.fromEntries(files.map((name) => [`many/${name}`, ''])),
  );
  const { body } = await server.post('/v1/tools/glob', { args: { pattern: '*.txt', limit: 400 } });
  for (const name of files) assert.ok(body.text.includes(`${name}\n`));
});
