import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRadosgw } from './s3-server/radosgw.ts';

/**
 * Starts a real S3 server on loopback, runs a command and ends both together: `node scripts/s3-server.ts npm test`.
 * The command finds the server in `RAVI_S3_TEST_SERVER`. Debian: `apt-get install radosgw ceph-mon ceph-osd`.
 */
const [program, ...args] = process.argv.slice(2);
if (program === undefined) {
  console.error('Usage: node scripts/s3-server.ts <command> [argument…]');
  process.exit(2);
}

let child: ChildProcess | undefined;
// Until there is a command to pass them to, signals end the parts of the server by the exit of this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child?.kill(signal) ?? process.exit(1));

const folder = mkdtempSync(join(tmpdir(), 'ravi-s3-server-'));
try {
  const start = performance.now();
  await using server = await startRadosgw(folder);
  console.error(`S3 server at ${server.access.endpoint} after ${((performance.now() - start) / 1000).toFixed(1)} s`);
  process.exitCode = await run(program, args, { RAVI_S3_TEST_SERVER: JSON.stringify(server.access) });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Resolves with the exit code of the command. */
function run(command: string, parameters: readonly string[], variables: NodeJS.ProcessEnv): Promise<number> {
  const started = spawn(command, parameters, { stdio: 'inherit', env: { ...process.env, ...variables } });
  child = started;
  return new Promise((resolve, reject) => {
    started.on('error', reject);
    started.on('close', (code) => resolve(code ?? 1));
  });
}
