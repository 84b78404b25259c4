import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres, startTcpProxy } from '../../packages/state/testing/src/index.ts';
import type { TcpProxy } from '../../packages/state/testing/src/index.ts';
import { connectToPostgres } from '../lib/postgres.ts';

/** Database that several servers reach, each through a proxy of its own. */
export interface KillDatabase extends AsyncDisposable {
  /** URL for each server. */
  readonly urls: readonly string[];
  /** Breaks all connections of a server and refuses new ones for a time. */
  cut(server: number, milliseconds: number): Promise<void>;
  /** Passes nothing between a server and the database for a time, without closing a connection. */
  blackHole(server: number, milliseconds: number): Promise<void>;
  /** Stops the database for a time. */
  restart(milliseconds: number): Promise<void>;
  /** Writes the rows of each table into a folder, a file of JSON lines for each. */
  save(folder: string): Promise<void>;
}

/** Starts PostgreSQL and a proxy for each server. */
export async function startKillDatabase(servers: number): Promise<KillDatabase> {
  await using starting = new AsyncDisposableStack();
  const postgres = starting.use(await startPostgres());
  const target = new URL(postgres.url);
  const proxies: TcpProxy[] = [];
  for (let server = 0; server < servers; server++) {
    proxies.push(starting.use(await startTcpProxy(Number(target.port))));
  }
  const started = starting.move();
  let restarting: Promise<void> | undefined;

  async function stopAndStart(milliseconds: number): Promise<void> {
    await postgres.stop();
    await pause(milliseconds);
    await postgres.start();
  }

  return {
    urls: proxies.map(({ port }) => {
      const url = new URL(target);
      url.port = String(port);
      return url.href;
    }),
    async cut(server, milliseconds) {
      proxies[server]?.cut();
      await pause(milliseconds);
      proxies[server]?.heal();
    },
    async blackHole(server, milliseconds) {
      proxies[server]?.blackHole();
      await pause(milliseconds);
      proxies[server]?.heal();
    },
    async restart(milliseconds) {
      restarting ??= stopAndStart(milliseconds).finally(() => (restarting = undefined));
      await restarting;
    },
    async save(folder) {
      await restarting;
      await saveRows(target.href, folder);
    },
    async [Symbol.asyncDispose]() {
      await restarting;
      await started.disposeAsync();
    },
  };
}

async function saveRows(url: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await using client = await connectToPostgres(url);
  const tables = await client.query(
    `SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  for (const { schema, name } of tables) {
    const rows = await client.query(`SELECT row_to_json(t)::text AS row FROM "${schema}"."${name}" t`);
    await writeFile(join(folder, `${name}.jsonl`), rows.map(({ row }) => `${row}\n`).join(''));
  }
}
