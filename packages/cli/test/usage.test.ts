import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { createFolder } from './support/folder.ts';
import { createRavi } from './support/ravi.ts';
import type { Ended } from './support/ravi.ts';
import { runCaptured } from './support/server.ts';

test('--version and --help answer with 0, and help names the exit codes', async () => {
  await using ravi = await createRavi();
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  assert.deepEqual(await ravi.run(['--version']), { code: 0, output: `${version}\n`, errors: '' });
  const help = await ravi.run(['--help']);
  assert.equal(help.code, 0);
  assert.match(help.output, /^ {2}3 {5}ended because a call was denied$/m);
});

test('a wrong command line ends with 2 and says what is wrong', async () => {
  await using own = await createFolder();
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['chian'], /unknown command 'chian'/],
    [['chain', 'run'], /missing required argument 'file'/],
    [['chain', 'run', 'x.ts', '--aprove', 'auto'], /unknown option '--aprove'/],
    [['chain', 'run', 'x.ts', '--approve', 'always'], /Allowed choices are auto, cli, deny/],
    [['chain', 'run', 'missing.ts'], /The script missing\.ts cannot be read/],
  ];
  for (const [args, message] of cases) {
    const { code, errors } = await runCaptured(args, { cwd: own.folder, env: {} });
    assert.equal(code, 2, args.join(' '));
    assert.match(errors, message);
  }
});

test('help for an unknown command is an error that names near commands', async () => {
  const run = (...args: string[]): Promise<Ended> => runCaptured(args, { cwd: '.', env: {} });
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['jobs', '--help'], /E_USAGE: unknown command 'jobs'; see ravi --help/],
    [['--json', 'approval', '--help'], /"unknown command 'approval'; did you mean approvals\?"/],
    [['runs', 'tial', '-h'], /unknown command 'tial'; did you mean tail\?/],
    [['tools', 'remove', '--help'], /unknown command 'remove'; see ravi tools --help/],
  ];
  for (const [args, message] of cases) {
    const { code, output, errors } = await run(...args);
    assert.equal(code, 2, args.join(' '));
    assert.match(output + errors, message);
  }
  assert.equal((await run('runs', 'tail', '--help')).code, 0);
  assert.equal((await run('help', 'runs')).code, 0);
});

test('a usage error exits with 2, as JSON with --json', async () => {
  await using own = await createFolder({ 'wrong.json': '{ "toolz": [] }' });
  const run = (...args: string[]): Promise<Ended> => runCaptured(args, { cwd: own.folder, env: {} });
  const plain = await run('tools', 'list', '--config', 'wrong.json');
  assert.equal(plain.code, 2);
  assert.match(plain.errors, /E_CONFIG_INVALID: .*wrong\.json: toolz is not a known key/);
  const unknown = await run('tools', 'lst', '--json');
  assert.equal(unknown.code, 2);
  assert.deepEqual(JSON.parse(unknown.output), {
    error: { code: 'E_USAGE', message: "unknown command 'lst'; did you mean list?" },
  });
  const json = await run('tools', 'list', '--config', 'wrong.json', '--json');
  assert.equal(json.code, 2);
  assert.equal((JSON.parse(json.output) as { error: { code: string } }).error.code, 'E_CONFIG_INVALID');
});
