// Runs inside a project that has only the packed packages: the first steps after "npm create ravi".
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const packages = join(import.meta.dirname, 'node_modules');
const ravi = join(packages, '@ravi/cli/dist/main.js');
const folder = join(import.meta.dirname, 'my-shop');
const env = { PATH: process.env.PATH, NO_COLOR: '1' };

function run(cwd, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' });
  assert.equal(status, 0, `${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

async function untilListening(server) {
  let seen = '';
  for await (const chunk of server.stdout) {
    seen += chunk;
    const [, url] = /listening on (\S+)/.exec(seen) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`The server ended before it listened: ${seen}`);
}

// In a folder from which no other package is found: npm installs it alone.
const alone = mkdtempSync(join(tmpdir(), 'create-ravi-'));
cpSync(join(packages, 'create-ravi'), alone, { recursive: true });
run(import.meta.dirname, join(alone, 'dist/main.js'), 'my-shop');
rmSync(alone, { recursive: true });
assert.match(run(folder, ravi, 'run', 'What did each customer buy?'), /"Ada": ?160/);
run(folder, '--test', ...readdirSync(join(folder, 'test')).map((file) => `test/${file}`));

const server = spawn(process.execPath, [ravi, 'serve', '--port', '0'], {
  cwd: folder,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = new Promise((resolve) => server.once('exit', resolve));
try {
  const url = await untilListening(server);
  const tools = run(folder, ravi, 'tools', 'call', 'list_orders', '{"month":"2026-10"}', '--server', url);
  assert.equal(JSON.parse(tools).length, 2);
} finally {
  server.kill('SIGTERM');
}
assert.equal(await ended, 0);
console.log('A created project runs, passes its test and serves');
