import { join } from 'node:path';
import type { RunEngine } from '@ravi/kernel';
import { postgresForTests } from '@ravi/state-testing';
import { pluginContract } from '@ravi/testkit/plugin';
import { runEngineContract } from '@ravi/testkit/run-engine';
import type { RunEngineSettings } from '@ravi/testkit/run-engine';
import { afterAll, test } from 'vitest';
import plugin, { createPgBossRunEngine } from '../src/index.ts';
import { transact, withClient } from './support/database.ts';

const server = await postgresForTests();
afterAll(() => server[Symbol.asyncDispose]());

if (server.url === undefined) {
  test.skip(`run engine: everything (skipped: ${server.reason})`);
} else {
  pluginContract(test, plugin, { url: server.url, groupLimit: 5 });
  applySuite(server.url);
}

interface Place {
  readonly schema: string;
  readonly settings: RunEngineSettings & { readonly heartbeatMs: number };
}

function applySuite(url: string): void {
  const places = new WeakMap<RunEngine, Place>();
  let count = 0;

  async function open(place: Place): Promise<RunEngine> {
    const engine = await createPgBossRunEngine({ url, schema: place.schema, ...place.settings });
    places.set(engine, place);
    return engine;
  }

  const create = (settings: RunEngineSettings): Promise<RunEngine> =>
    open({ schema: `engine_${process.pid}_${(count += 1)}`, settings: { ...settings, heartbeatMs: 10_000 } });

  runEngineContract(test, create, {
    connect: (engine) => open(places.get(engine)!),
    program: (engine) => {
      const { schema, settings } = places.get(engine)!;
      return { file: join(import.meta.dirname, 'contract-program.ts'), args: [url, schema, JSON.stringify(settings)] };
    },
    transaction: (_engine, body) => withClient(url, (client) => transact(client, body)),
    content: (engine) =>
      withClient(url, async (client) => {
        const { schema } = places.get(engine)!;
        const { rows } = await client.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [schema]);
        const tables = (rows as { readonly tablename: string }[]).map(({ tablename }) => tablename);
        const texts: string[] = [];
        for (const table of tables) {
          texts.push(JSON.stringify((await client.query(`SELECT * FROM ${schema}."${table}"`)).rows));
        }
        return texts.join('\n');
      }),
  });
}
