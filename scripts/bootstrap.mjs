// Plain JavaScript for any Node from 18 on: this file runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binaries = join(root, 'node_modules', '.bin');
const consoleFolder = join(root, 'apps', 'console');
const onWindows = process.platform === 'win32';

const [task = '', ...taskArguments] = process.argv.slice(2);

const entries = {
  start: (args) => (namesConfiguration(args) ? 'apps/monolith/src/main.ts' : 'examples/flights-report/src/main.ts'),
  test: () => 'scripts/test.ts',
};

function main() {
  const entry = entries[task];
  if (!entry) fail(`Unknown task "${task}". Use: node scripts/bootstrap.mjs <${Object.keys(entries).join('|')}>`);
  if (Number(process.versions.node.split('.')[0]) < 18) {
    fail(`Node ${process.versions.node} is too old to set up this repository: Node 18 or newer is needed.`);
  }
  if (!isInstalled()) install();
  if (task === 'start' && !isConsoleBuilt()) buildConsole();
  run(entry(taskArguments), taskArguments);
}

function namesConfiguration(args) {
  return Boolean(process.env.RAVI_CONFIG) || args.some((arg) => arg === '--config' || arg.startsWith('--config='));
}

/** pnpm keeps a copy of the lockfile it installed from: the two are equal exactly when nothing is left to do. */
function isInstalled() {
  const installed = join(root, 'node_modules', '.pnpm', 'lock.yaml');
  if (!existsSync(installed) || !existsSync(join(root, 'node_modules', 'node', 'package.json'))) return false;
  return readFileSync(installed, 'utf8') === readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
}

function install() {
  console.error(
    'Installing the dependencies. This takes a minute, and is needed again only when the lockfile changes …',
  );
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const args = ['-y', packageManager, 'install', '--frozen-lockfile', '--loglevel=error'];
  // Standard output belongs to the task, so the installer speaks on standard error.
  const result = spawnSync('npx', args, { cwd: root, stdio: ['ignore', 2, 2], shell: onWindows });
  if (result.error && result.error.code === 'ENOENT') {
    fail('The command "npx" was not found. Install npm (it comes with Node) and try again.');
  }
  if (result.error) fail(`The installation could not start: ${result.error.message}`);
  if (result.status === 0) return;
  fail(
    `The installation failed (${result.signal ?? `exit code ${result.status}`}). ` +
      'It reads from the npm registry once: check the network and the messages above, then try again.',
  );
}

/** Whether the console was built after each of its sources was written. */
function isConsoleBuilt() {
  const document = join(consoleFolder, 'dist', 'app', 'index.html');
  if (!existsSync(document)) return false;
  const sources = readdirSync(join(consoleFolder, 'app'), { recursive: true }).map((name) => join('app', name));
  const builtAt = statSync(document).mtimeMs;
  return [...sources, 'index.html', 'vite.config.ts', 'package.json'].every(
    (name) => statSync(join(consoleFolder, name)).mtimeMs <= builtAt,
  );
}

function buildConsole() {
  console.error('Building the console. This takes a few seconds, and is needed again only when it changes …');
  const vite = join(consoleFolder, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [vite, 'build', '--logLevel', 'error'];
  const { status } = spawnSync(node24(), args, { cwd: consoleFolder, stdio: ['ignore', 2, 2] });
  if (status !== 0) fail('The console could not be built: see the messages above.');
}

function node24() {
  const node = join(root, 'node_modules', 'node', 'bin', onWindows ? 'node.exe' : 'node');
  if (!existsSync(node)) fail(`Node 24 is missing at ${node}: delete the folder node_modules and try again.`);
  return node;
}

function run(entry, args) {
  const node = node24();
  const child = spawn(node, [join(root, entry), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH ?? ''}` },
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // Ctrl-C reaches the whole process group: forwarding it too would count as a second Ctrl-C.
      if (signal === 'SIGINT' && process.stdin.isTTY) return;
      child.kill(signal);
    });
  }
  child.on('error', (error) => fail(`${node} could not start: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

main();
