import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, beforeEach, test } from 'vitest';

import { oldNodePath } from '../lib/old-nodes.ts';
import { root } from '../lib/workspace.ts';

let workspace = '';

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'ravi-bootstrap-'));
  write('pnpm-lock.yaml', 'lockfileVersion: 1\n');
  write('package.json', '{ "packageManager": "pnpm@1.2.3" }');
  mkdirSync(join(workspace, 'scripts'));
  for (const file of ['bootstrap.mjs', 'end-with-parent.mjs']) {
    cpSync(join(root, 'scripts', file), join(workspace, 'scripts', file));
  }
  for (const entry of ['apps/monolith', 'examples/flights-report']) {
    write(`${entry}/src/main.ts`, `console.log('${entry}', process.argv.slice(2).join(' '));`);
  }
  for (const source of ['app/main.ts', 'index.html', 'vite.config.ts', 'package.json']) {
    write(`apps/console/${source}`, '{}');
  }
  write('apps/console/dist/app/index.html', 'built');
  mkdirSync(join(workspace, 'apps/monolith/bundle'));
  for (const file of ['stamp.mjs', 'use.mjs']) {
    cpSync(join(root, 'apps/monolith/bundle', file), join(workspace, 'apps/monolith/bundle', file));
  }
  write('apps/monolith/bundle/dist/current.json', JSON.stringify({ folder: 'one', entries: {}, inputs: [] }));
});

afterEach(() => rmSync(workspace, { recursive: true }));

test('an up-to-date installation is not repeated', async () => {
  pretendInstalled();
  const result = await bootstrap(['start'], { PATH: '/nowhere' });
  assert.deepEqual(result, { code: 0, stdout: 'examples/flights-report \n', stderr: '' });
});

test('a changed lockfile is installed with the pinned package manager, and standard output stays empty', async () => {
  pretendInstalled();
  write('pnpm-lock.yaml', 'lockfileVersion: 2\n');
  const result = await bootstrap(['start'], { PATH: fakeNpx('echo "npx $*"') });
  assert.equal(result.code, 0);
  assert.equal(result.stdout, 'examples/flights-report \n');
  assert.match(result.stderr, /^npx -y pnpm@1\.2\.3 install --frozen-lockfile/m);
});

test('a configuration starts the server, and every argument is passed on', async () => {
  pretendInstalled();
  const withFlag = await bootstrap(['start', '--config', 'a b.json', '--port', '0']);
  assert.equal(withFlag.stdout, 'apps/monolith --config a b.json --port 0\n');
  const withVariable = await bootstrap(['start'], { RAVI_CONFIG: 'a.json' });
  assert.equal(withVariable.stdout, 'apps/monolith \n');
});

test('an example runs by the name of its folder with the other arguments, and another name lists those that there are', async () => {
  pretendInstalled();
  const named = await bootstrap(['example', 'flights-report', '--once']);
  assert.deepEqual(named, { code: 0, stdout: 'examples/flights-report --once\n', stderr: '' });
  for (const args of [['example'], ['example', '../apps/monolith']]) {
    const refused = await bootstrap(args);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^There is no example ".*"\. Use: npm run example -- <flights-report>\n$/);
  }
});

test('a console that is older than its sources is built first, and a failed build is reported', async () => {
  pretendInstalled();
  write('apps/console/node_modules/vite/bin/vite.js', "console.log('vite', ...process.argv.slice(2));");
  const future = Date.now() / 1_000 + 60;
  utimesSync(join(workspace, 'apps/console/app/main.ts'), future, future);
  const built = await bootstrap(['start']);
  assert.equal(built.stdout, 'examples/flights-report \n');
  assert.match(built.stderr, /^Building the console\..*\nvite build/);
  const ofExample = await bootstrap(['example', 'flights-report']);
  assert.match(ofExample.stderr, /^Building the console\..*\nvite build/);
  write('apps/console/node_modules/vite/bin/vite.js', 'process.exit(1);');
  const broken = await bootstrap(['start']);
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /The console could not be built/);
});

test('the server starts from its bundle, which is built again when a source has changed', async () => {
  pretendInstalled();
  const main = 'apps/monolith/src/main.ts';
  write(
    'apps/monolith/bundle/build.mjs',
    `import { mkdirSync, writeFileSync } from 'node:fs';
     import { join } from 'node:path';
     import { bundlesFolder, manifestFile, stampOf } from './stamp.mjs';
     mkdirSync(join(bundlesFolder, 'two'), { recursive: true });
     writeFileSync(join(bundlesFolder, 'two/main.js'), 'console.log("bundled", ...process.argv.slice(2))');
     const inputs = [['${main}', stampOf('${main}')]];
     writeFileSync(manifestFile, JSON.stringify({ folder: 'two', entries: { '${main}': 'main.js' }, inputs }));`,
  );
  rmSync(join(workspace, 'apps/monolith/bundle/dist'), { recursive: true });
  mkdirSync(join(workspace, 'apps/monolith/bundle/dist'));
  const args = ['start', '--config', 'x.json'];
  const first = await bootstrap(args);
  assert.deepEqual([first.code, first.stdout], [0, 'bundled --config x.json\n']);
  assert.match(first.stderr, /^Bundling the server\..*\n$/);
  assert.deepEqual(await bootstrap(args), { code: 0, stdout: 'bundled --config x.json\n', stderr: '' });
  write(main, "console.log('changed source');");
  write('apps/monolith/bundle/build.mjs', "console.error('no space left'); process.exitCode = 1;");
  const failed = await bootstrap(args);
  assert.deepEqual([failed.code, failed.stdout], [0, 'changed source\n']);
  assert.match(
    failed.stderr,
    /^Bundling the server.*\nno space left\nThe server could not be bundled: .*\nStarting from the sources, which takes longer: apps\/monolith\/src\/main\.ts has changed/,
  );
});

test('the exit code of the program is the exit code of the command', async () => {
  pretendInstalled();
  write('examples/flights-report/src/main.ts', 'process.exit(7);');
  assert.equal((await bootstrap(['start'])).code, 7);
});

test('a signal is forwarded to the program, whose exit code counts', async () => {
  pretendInstalled();
  write(
    'examples/flights-report/src/main.ts',
    `process.on('SIGTERM', () => { console.log('closing'); process.exit(3); });
     setInterval(() => {}, 1000);
     console.log('ready');`,
  );
  const child = spawn(process.execPath, [join(workspace, 'scripts/bootstrap.mjs'), 'start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output === 'ready\n') child.kill('SIGTERM');
  });
  assert.deepEqual(await exit, [3, null]);
  assert.equal(output, 'ready\nclosing\n');
});

/** Starts a server with `npm start`, sends a signal to one process above it, and returns what the server wrote at its end. */
async function endedBy(signal: NodeJS.Signals, target: 'npm' | 'bootstrap'): Promise<string> {
  pretendInstalled();
  write('package.json', JSON.stringify({ type: 'module', scripts: { start: 'node scripts/bootstrap.mjs start' } }));
  write(
    'examples/flights-report/src/main.ts',
    `import { createServer } from 'node:http';
     import { writeFileSync } from 'node:fs';
     const server = createServer().listen(0, '127.0.0.1', () => console.log('ready', process.ppid, process.pid));
     for (const signal of ['SIGTERM', 'SIGINT']) {
       process.on(signal, () => { writeFileSync('ended', 'closed'); server.close(); });
     }`,
  );
  // In a process group of its own, like a job of a shell.
  const npm = spawn('npm', ['start', '--silent'], {
    cwd: workspace,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const text of npm.stdout.setEncoding('utf8')) {
    output += text;
    if (output.includes('\n')) break;
  }
  const [bootstrapId = 0, serverId = 0] = (output.split('ready ')[1] ?? '').split(' ').map(Number);
  assert.ok(bootstrapId > 1 && serverId > 1, output);
  // A terminal sends SIGINT to the whole group; npm itself ignores it.
  const npmId = signal === 'SIGINT' ? -npm.pid! : npm.pid!;
  process.kill(target === 'npm' ? npmId : bootstrapId, signal);
  while (isAlive(serverId) || isAlive(bootstrapId)) await delay(20);
  return readFileSync(join(workspace, 'ended'), 'utf8');
}

for (const target of ['npm', 'bootstrap'] as const) {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    test(`${signal} to ${target} ends the server of "npm start"`, async () => {
      assert.equal(await endedBy(signal, target), 'closed');
    });
  }
}

test.skipIf(!existsSync(oldNodePath('18.20.8')))('a Node that is too old gets one sentence', async () => {
  const result = await bootstrap(['start'], {}, oldNodePath('18.20.8'));
  assert.deepEqual(result, { code: 1, stdout: '', stderr: 'Ravi needs Node 20 or newer; this is 18.20.8.\n' });
});

test('a program killed by a signal is reported as killed by it', async () => {
  pretendInstalled();
  write('examples/flights-report/src/main.ts', `process.kill(process.pid, 'SIGKILL');`);
  assert.equal((await bootstrap(['start'])).code, 'SIGKILL');
});

test('a machine without npm gets a message that names what is missing', async () => {
  const result = await bootstrap(['test'], { PATH: '/nowhere' });
  assert.equal(result.code, 1);
  assert.match(result.stderr, /"npx" was not found\. Install npm/);
});

test('an installation that fails says how it ended and what it needs', async () => {
  const result = await bootstrap(['test'], { PATH: fakeNpx('exit 5') });
  assert.equal(result.code, 1);
  assert.match(result.stderr, /The installation failed \(exit code 5\).*check the network/);
});

test('a task of the repository runs, and a failing program ends a task of several', async () => {
  pretendInstalled();
  write('scripts/api-report.ts', "console.log('report', process.argv.slice(2).join(' '));");
  const both = await bootstrap(['api-report', '--quiet'], { PATH: fakeNpx('echo "npx $*"') });
  assert.deepEqual(both, {
    code: 0,
    stdout: 'npx -y pnpm@1.2.3 exec turbo run build\nreport --write --quiet\n',
    stderr: '',
  });
  const failed = await bootstrap(['api-report'], { PATH: fakeNpx('exit 4') });
  assert.deepEqual({ code: failed.code, stdout: failed.stdout }, { code: 4, stdout: '' });
});

test('an unknown task is refused with the tasks there are', async () => {
  const result = await bootstrap(['tset']);
  assert.equal(result.code, 1);
  assert.match(result.stderr, /Unknown task "tset".*start\|test/);
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), text);
}

/** Lays out what an installation leaves that the bootstrap looks at, with the running Node as the installed one. */
function pretendInstalled(): void {
  write('node_modules/.pnpm/lock.yaml', 'lockfileVersion: 1\n');
  write('node_modules/node/package.json', '{}');
  mkdirSync(join(workspace, 'node_modules/node/bin'));
  symlinkSync(process.execPath, join(workspace, 'node_modules/node/bin/node'));
}

function fakeNpx(script: string): string {
  write('bin/npx', `#!/bin/sh\n${script}\n`);
  chmodSync(join(workspace, 'bin/npx'), 0o755);
  return join(workspace, 'bin');
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

interface Ending {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

async function bootstrap(
  args: readonly string[],
  environment: Record<string, string> = {},
  node: string = process.execPath,
): Promise<Ending> {
  const { RAVI_CONFIG: _unset, ...inherited } = process.env;
  const child = spawn(node, [join(workspace, 'scripts/bootstrap.mjs'), ...args], {
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code: code ?? signal ?? '', stdout, stderr };
}
