// Plain JavaScript for any Node from 20 on: this file runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binaries = join(root, 'node_modules', '.bin');
const consoleFolder = join(root, 'apps', 'console');
const bundleFolder = new URL('../apps/monolith/bundle/', import.meta.url);
const onWindows = process.platform === 'win32';
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const parentCheckMs = 500;
const useBundle = `--import=${new URL('use.mjs', bundleFolder).href}`;
const endWithParent = new URL('end-with-parent.mjs', import.meta.url).href;
const oldestNode = 20;

const [task = '', ...taskArguments] = process.argv.slice(2);

/** Each task is a list of programs, run in order until one fails. Arguments of the user go to the last one. */
const tasks = {
  start: (args) => [
    [useBundle, namesConfiguration(args) ? 'apps/monolith/src/main.ts' : 'examples/flights-report/src/main.ts'],
  ],
  test: () => [['scripts/test.ts']],
  setup: () => [pnpm('install')],
  verify: () => [['scripts/verify.ts']],
  build: () => [pnpm('exec', 'turbo', 'run', 'build')],
  bench: () => [['--no-node-snapshot', 'bench/src/main.ts']],
  compare: () => [['--no-node-snapshot', 'bench/src/compare/main.ts']],
  'compare-tools': () => [['packages/tools/comparison/src/main.ts']],
  example: (args) => [[exampleProgram(args.shift())]],
  ravi: () => [['packages/cli/src/main.ts']],
  'new-adapter': () => [['scripts/new-adapter.ts']],
  'api-report': () => [pnpm('exec', 'turbo', 'run', 'build'), ['scripts/api-report.ts', '--write']],
  'docs:build': () => [['apps/docs/src/build.ts']],
  'docs:reference': () => [['apps/docs/src/reference/main.ts']],
  snippets: () => [['scripts/sync-snippets.ts']],
  structure: () => [['scripts/structure.ts']],
  prose: () => [['scripts/check-prose.ts']],
  format: () => [pnpm('exec', 'oxfmt')],
  lint: () => [pnpm('exec', 'oxlint')],
  changeset: () => [pnpm('exec', 'changeset')],
};

async function main() {
  if (!Object.hasOwn(tasks, task)) {
    fail(`Unknown task "${task}". Use: node scripts/bootstrap.mjs <${Object.keys(tasks).join('|')}>`);
  }
  const running = process.versions.node;
  if (Number(running.split('.')[0]) < oldestNode) fail(`Ravi needs Node ${oldestNode} or newer; this is ${running}.`);
  if (task !== 'setup' && !isInstalled()) install();
  if (mayServe() && !isConsoleBuilt()) buildConsole();
  if (task === 'start') await bundleServer();
  const programs = tasks[task](taskArguments);
  const last = programs.pop();
  for (const program of programs) await run(program);
  await run([...last, ...taskArguments]);
}

/** True if the task may serve the console: the server, an example, and two commands of `ravi`. */
function mayServe() {
  return task === 'start' || task === 'example' || (task === 'ravi' && ['serve', 'dev'].includes(taskArguments[0]));
}

function namesConfiguration(args) {
  return Boolean(process.env.RAVI_CONFIG) || args.some((arg) => arg === '--config' || arg.startsWith('--config='));
}

/** Returns the program of an example by the name of its folder. */
function exampleProgram(name) {
  const programOf = (folder) => `examples/${folder}/src/main.ts`;
  const names = readdirSync(join(root, 'examples')).filter((folder) => existsSync(join(root, programOf(folder))));
  if (!names.includes(name)) fail(`There is no example "${name ?? ''}". Use: npm run example -- <${names.join('|')}>`);
  return programOf(name);
}

/** pnpm keeps a copy of the lockfile it installed from. The two are equal if and only if nothing is left to install. */
function isInstalled() {
  const installed = join(root, 'node_modules', '.pnpm', 'lock.yaml');
  if (!existsSync(installed) || !existsSync(join(root, 'node_modules', 'node', 'package.json'))) return false;
  return readFileSync(installed, 'utf8') === readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
}

function install() {
  console.error(
    'Installing the dependencies. This takes a minute, and is needed again only when the lockfile changes …',
  );
  const [program, ...args] = pnpm('install', '--frozen-lockfile', '--loglevel=error');
  // Standard output belongs to the task, so the installer writes to standard error.
  const result = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2], shell: onWindows });
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

/** True if the console was built after the last change of its sources. */
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

/** Bundles the server if that was not done with these sources. A server that cannot be bundled starts from its sources. */
async function bundleServer() {
  const { problemOf, readManifest } = await import(new URL('stamp.mjs', bundleFolder).href);
  if (problemOf(readManifest()) === undefined) return;
  console.error('Bundling the server. This takes a few seconds, and is needed again only when its sources change …');
  const program = fileURLToPath(new URL('build.mjs', bundleFolder));
  const { status } = spawnSync(node24(), [program], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) console.error('The server could not be bundled: see the messages above.');
}

function node24() {
  const node = join(root, 'node_modules', 'node', 'bin', onWindows ? 'node.exe' : 'node');
  if (!existsSync(node)) fail(`Node 24 is missing at ${node}: delete the folder node_modules and try again.`);
  return node;
}

/** Returns the command that runs the pinned pnpm, on a machine without pnpm too. */
function pnpm(...args) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return ['npx', '-y', packageManager, ...args];
}

/** Runs a program and resolves when it succeeded; any other end is the end of this process. Files run under Node 24. */
function run([program, ...args]) {
  const isCommand = program === 'npx';
  const [command, commandArgs] = isCommand
    ? [program, args]
    : [node24(), ['--import', endWithParent, ...fromRoot([program, ...args])]];
  const child = spawn(command, commandArgs, {
    cwd: root,
    // A program ends with this process: its channel closes, even if this process is killed.
    stdio: isCommand ? 'inherit' : ['inherit', 'inherit', 'inherit', 'ipc'],
    shell: isCommand && onWindows,
    env: { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH ?? ''}` },
  });

  const forward = (signal) => {
    // Ctrl-C reaches the whole process group: forwarding it too would count as a second Ctrl-C.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, forward);
  const watch = watchParent(() => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.on('error', (error) => fail(`${command} could not start: ${error.message}`));
    child.on('exit', (code, signal) => {
      clearInterval(watch);
      for (const each of signals) process.removeListener(each, forward);
      if (signal) return process.kill(process.pid, signal);
      if (code !== 0) process.exit(code ?? 1);
      resolve();
    });
  });
}

/** Calls `onEnd` once npm is gone: a killed npm forwards no signal. It is the parent, or the parent of a shell in between. */
function watchParent(onEnd) {
  const [parent, grandparent] = [process.ppid, parentOf(process.ppid)];
  const isUnderNpm = process.env.npm_lifecycle_event !== undefined;
  const watch = setInterval(() => {
    if (process.ppid === parent && (!isUnderNpm || parentOf(parent) === grandparent)) return;
    clearInterval(watch);
    onEnd();
  }, parentCheckMs);
  return watch;
}

/** Returns the parent of a process; 0 if the system does not say so in a file. */
function parentOf(id) {
  try {
    // proc(5): the name of the program, in parentheses, may contain spaces.
    return Number(readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1).split(' ')[1]);
  } catch {
    return 0;
  }
}

/** Makes the first argument that names a file of the repository absolute; options of Node may precede it. */
function fromRoot(args) {
  const index = args.findIndex((arg) => !arg.startsWith('-'));
  return args.map((arg, at) => (at === index ? join(root, arg) : arg));
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

await main();
