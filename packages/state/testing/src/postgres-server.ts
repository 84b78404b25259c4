import { rmSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres } from './postgres-binaries.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { runToEnd, startServer } from './postgres-process.ts';
import type { RunningServer } from './postgres-process.ts';

const user = 'postgres';
const password = 'only-on-loopback';
const serverFlags = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];

/** PostgreSQL server for one test file, in a temporary folder, on loopback. */
export interface PostgresServer extends AsyncDisposable {
  /** URL with user and password. */
  readonly url: string;
  /** Stops the server and keeps its data. */
  stop(): Promise<void>;
  /** Ends the server as a crash does: what it has not written to the disk is lost. */
  crash(): Promise<void>;
  /** Starts it again with its data, at the same `url`. */
  start(): Promise<void>;
}

/** URL of a PostgreSQL server for tests, or the reason why there is none. */
export type PostgresForTests =
  | ({ readonly url: string; readonly reason?: undefined } & AsyncDisposable)
  | ({ readonly url?: undefined; readonly reason: string } & AsyncDisposable);

/**
 * Returns the server named by the environment variable `RAVI_TEST_POSTGRES_URL`, or starts one. If none can be started,
 * returns the reason; throws on a build machine (`CI`).
 */
export async function postgresForTests(): Promise<PostgresForTests> {
  const url = process.env['RAVI_TEST_POSTGRES_URL'];
  if (url !== undefined) return { url, [Symbol.asyncDispose]: async () => {} };
  const server = await stoppablePostgresForTests();
  return typeof server === 'string' ? { reason: server, [Symbol.asyncDispose]: async () => {} } : server;
}

/**
 * Starts a server that a test may stop. If it cannot be started, returns the reason; throws on a build machine (`CI`).
 */
export async function stoppablePostgresForTests(): Promise<PostgresServer | string> {
  try {
    return await startPostgres();
  } catch (error) {
    if (process.env['CI']) throw error;
    return `PostgreSQL does not start: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * Starts a server, with settings in addition to those of every test. Disposing it stops it and removes its data.
 * @throws Error that says why it does not start
 */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const binaries = await findPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'ravi-postgres-'));
  const data = join(folder, 'data');
  const port = await freePort();
  let running: RunningServer | undefined;
  const start = async (): Promise<void> => {
    const own = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    running = await startServer(binaries, ['-D', data, '-p', String(port), ...serverFlags, ...own]);
  };
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const dispose = async (): Promise<void> => {
    await running?.stop();
    process.off('exit', remove);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await createData(binaries, folder, data);
    await start();
    // After the server, which ends at an exit too.
    process.once('exit', remove);
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
    start,
    stop: async () => running?.stop(),
    crash: async () => running?.crash(),
    [Symbol.asyncDispose]: dispose,
  };
}

async function createData(binaries: PostgresBinaries, folder: string, data: string): Promise<void> {
  const { initdb, runAs } = binaries;
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, `${password}\n`);
  if (runAs !== undefined) await chown(folder, runAs.uid, runAs.gid);
  const access = ['--auth=password', `--username=${user}`, `--pwfile=${passwordFile}`];
  const format = ['--lc-messages=C', '--encoding=UTF8', '--no-sync'];
  await runToEnd(initdb, [`--pgdata=${data}`, ...access, ...format], runAs);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new TypeError('A server on TCP has a port');
  return address.port;
}
