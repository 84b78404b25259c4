import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createTestCertificates } from '@ravi/sandbox-testing';
import { childEnvironment } from '@ravi/testkit';
import { afterAll, test } from 'vitest';

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const certificates = createTestCertificates();
const files = certificates.node();
const flags = ['--ca', files.ca, '--cert', files.cert, '--key', files.key, '--port', '0'];

afterAll(() => certificates[Symbol.dispose]());

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs the program until it ends. */
async function run(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['--no-warnings', program, ...args], {
    cwd: certificates.folder,
    env: childEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { code, output, errors };
}

function configOf(name: string, config: unknown): string {
  const path = join(certificates.folder, name);
  writeFileSync(path, typeof config === 'string' ? config : JSON.stringify(config));
  return path;
}

test('--help lists the flags', async () => {
  const { code, output } = await run('--help');
  assert.equal(code, 0);
  for (const flag of ['--config', '--host', '--port', '--ca', '--cert', '--key'])
    assert.ok(output.includes(flag), flag);
});

const misuses: Readonly<Record<string, readonly [readonly string[], RegExp]>> = {
  'an unknown flag': [['--prot', '1'], /Unknown option '--prot'/],
  'a port that is not a number': [
    [...flags, '--port', 'https'],
    /--port must be a number from 0 to 65535, not "https"/,
  ],
  'a port that is too large': [[...flags, '--port', '70000'], /port must be/],
  'no certificates': [[], /E_CONFIG_INVALID: the flags:[^]*ca[^]*cert[^]*key/],
  'a certificate that is missing': [
    ['--ca', files.ca, '--cert', 'gone.pem', '--key', files.key],
    /E_CONFIG_INVALID: cert: the file .*gone\.pem cannot be read \(ENOENT\)/,
  ],
  'a configuration that is missing': [['--config', 'gone.json'], /gone\.json: the file cannot be read \(ENOENT\)/],
  'a configuration that is not JSON': [
    ['--config', configOf('broken.json', '{ "port": }')],
    /broken\.json:1:11: expected a value, found "}"/,
  ],
  'a configuration that is a list': [['--config', configOf('list.json', [])], /the configuration must be an object/],
  'an unknown option': [['--config', configOf('unknown.json', { ...files, prot: 1 })], /unknown\.json: .*prot/],
  'a limit of zero': [['--config', configOf('zero.json', { ...files, maxRuns: 0 })], /zero\.json: maxRuns .*1/],
  'a sandbox that is not installed': [
    ['--config', configOf('sandbox.json', { ...files, port: 0, sandbox: { use: '@ravi/sandbox-absent' } })],
    /E_PLUGIN_NOT_FOUND: plugins\.sandbox: the plugin @ravi\/sandbox-absent was not found/,
  ],
  'an option that the sandbox does not have': [
    ['--config', configOf('pool.json', { ...files, port: 0, sandbox: { use: '@ravi/sandbox-isolated-vm', pool: 1 } })],
    /@ravi\/sandbox-isolated-vm: .*pool/,
  ],
  'an address that this machine does not have': [
    [...flags, '--host', '192.0.2.1'],
    /The node cannot listen on 192\.0\.2\.1, port 0: this machine has no such address \(EADDRNOTAVAIL\)/,
  ],
};

for (const [name, [args, message]] of Object.entries(misuses)) {
  test(`${name} ends the program with code 2 and an error that names it`, async () => {
    const { code, output, errors } = await run(...args);
    assert.match(errors, message);
    assert.deepEqual([code, output], [2, '']);
    assert.doesNotMatch(errors, /BEGIN|\n {4}at /);
  });
}

test('a port that another program uses is named', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const { code, errors } = await run(...flags, '--port', String(port));
  await new Promise((resolve) => other.close(resolve));
  assert.equal(code, 2);
  assert.ok(errors.includes(`127.0.0.1, port ${port}: another program uses this port (EADDRINUSE)`), errors);
});

test('the guide and the script create certificates with the same commands', () => {
  const root = new URL('../../../', import.meta.url);
  const script = readFileSync(new URL('deploy/sandbox-nodes/certificates.sh', root), 'utf8');
  const guide = readFileSync(new URL('docs/guides/remote-sandboxes.md', root), 'utf8');
  const optionsOf = (source: string): string[] => source.match(/-(?:pkeyopt|copy_extensions|addext|noenc)\b/g) ?? [];
  const commands = guide.match(/^openssl (?:req|x509) [^]*?(?<!\\)$/gm) ?? [];
  assert.ok(commands.length >= 3, `${commands.length}`);
  for (const option of new Set(optionsOf(script))) assert.ok(commands.join('\n').includes(option), option);
});
