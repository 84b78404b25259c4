import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A Restate server of a test. */
export interface RestateForTests extends AsyncDisposable {
  readonly ingressUrl: string;
  readonly adminUrl: string;
  /** Everything that it wrote to its log. */
  readonly log: () => string;
  /** Kills the server. */
  stop(): Promise<void>;
  /** Starts it again on the same folder and ports. */
  start(): Promise<void>;
  /** Returns everything that Restate has stored, as text. */
  content(): Promise<string>;
}

const startLimitMs = 60_000;
const tables = [
  'state',
  'sys_invocation',
  'sys_journal',
  'sys_journal_events',
  'sys_inbox',
  'sys_promise',
  'sys_service',
];

/**
 * Starts a Restate server on free ports and a temporary folder.
 * @throws Error if its program is not installed, or it is not ready within a minute
 */
export async function startRestate(env: Readonly<Record<string, string>> = {}): Promise<RestateForTests> {
  const program = findProgram();
  const folder = await mkdtemp(join(tmpdir(), 'ravi-restate-'));
  const [ingress = 0, admin = 0, node = 0] = await freePorts(3);
  const ingressUrl = `http://127.0.0.1:${ingress}`;
  const adminUrl = `http://127.0.0.1:${admin}`;
  let output = '';
  let running: { kill(): Promise<void>; readonly hasEnded: () => boolean } | undefined;

  async function start(): Promise<void> {
    const child = spawn(program, ['--no-logo', '--base-dir', folder], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_LISTEN_MODE: 'tcp',
        RESTATE_BIND_IP: '127.0.0.1',
        RESTATE_BIND_PORT: String(node),
        RESTATE_INGRESS__BIND_PORT: String(ingress),
        RESTATE_ADMIN__BIND_PORT: String(admin),
        RESTATE_NODE_NAME: 'test',
        RESTATE_DEFAULT_NUM_PARTITIONS: '1',
        RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '128MB',
        RESTATE_LOG_FILTER: 'warn,restate_service_client=info',
        RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
        ...env,
      },
    });
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    running = {
      hasEnded,
      async kill() {
        if (hasEnded()) return;
        const ended = once(child, 'exit');
        kill();
        await ended;
      },
    };
    const ready = [`${adminUrl}/health`, `${ingressUrl}/restate/health`];
    for (let waited = 0; !(await areReady(ready)); waited += 50) {
      if (hasEnded() || waited > startLimitMs) throw new Error(`Restate did not start: ${output.slice(-2_000)}`);
      await sleep(50);
    }
  }

  const stop = async (): Promise<void> => running?.kill();
  const server: RestateForTests = {
    ingressUrl,
    adminUrl,
    log: () => output,
    stop,
    start,
    async content() {
      const texts: string[] = [];
      for (const table of tables) {
        const response = await fetch(`${adminUrl}/query`, {
          method: 'POST',
          headers: { accept: 'application/json', 'content-type': 'application/json' },
          body: JSON.stringify({ query: `SELECT * FROM ${table}` }),
        });
        if (!response.ok) throw new Error(`${table}: ${response.status} ${await response.text()}`);
        texts.push(await response.text());
      }
      return texts.join('\n');
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await start();
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
  return server;
}

function findProgram(): string {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  try {
    // The program is an optional dependency of the package, one for each system.
    return createRequire(import.meta.resolve('@restatedev/restate-server/package.json')).resolve(
      `${name}/bin/restate-server`,
    );
  } catch (cause) {
    throw new Error(`The program of Restate for this system, ${name}, is not installed`, { cause });
  }
}

async function areReady(urls: readonly string[]): Promise<boolean> {
  try {
    const responses = await Promise.all(urls.map((url) => fetch(url, { signal: AbortSignal.timeout(1_000) })));
    return responses.every(({ ok }) => ok);
  } catch {
    return false;
  }
}

/** Returns ports of loopback that are free now. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ports.push((server.address() as AddressInfo).port);
  }
  for (const server of servers) server.close();
  return ports;
}
