import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { RunSignal } from '@ravi/kernel';
import { postgresForTests } from '@ravi/state-testing';
import { createMemoryLogger } from '@ravi/testkit';
import { afterAll, test } from 'vitest';
import { createPgBossRunEngine } from '../src/index.ts';
import { transact, wake, withClient } from './support/database.ts';

const server = await postgresForTests();
afterAll(() => server[Symbol.asyncDispose]());
const { url = '' } = server;
const withServer = server.url === undefined ? test.skip : test;
const rounds = 300;

withServer(
  'a look after each commit sees the fact that was committed with its wake, also when wakes merge',
  async () => {
    const schema = `facts_${process.pid}`;
    await using engine = await createPgBossRunEngine({ url, schema });
    await withClient(url, (client) =>
      client.query(`CREATE TABLE ${schema}.fact (number INT); INSERT INTO ${schema}.fact VALUES (0)`),
    );
    const { promise: isSeen, resolve: onSeen } = Promise.withResolvers<void>();
    await engine.work({
      versions: ['v1'],
      slots: 2,
      // Only the looks that the wakes ask for read the fact: a lost wake leaves the last one unread.
      async handle() {
        const { rows } = await withClient(url, (client) => client.query(`SELECT number FROM ${schema}.fact`));
        if ((rows as { readonly number: number }[])[0]?.number === rounds) onSeen();
        return { status: 'done' };
      },
    });
    await withClient(url, async (client) => {
      for (let round = 0; round < rounds; round++) {
        await transact(client, async (within) => {
          await engine.wake([wake('run-1', { reason: 'answered' })], { within });
          await client.query(`UPDATE ${schema}.fact SET number = number + 1`);
        });
      }
    });
    await isSeen;
  },
);

withServer('a wake of a run that has none merges once, inserts once and notifies once, after one check', async () => {
  const schema = `once_${process.pid}`;
  await using engine = await createPgBossRunEngine({ url, schema });
  await engine.wake([wake('run-0')]);
  const statementsOf = async (runId: string): Promise<readonly string[]> => {
    const statements: string[] = [];
    await withClient(url, (client) =>
      transact(client, ({ database, run }) => {
        const counted: typeof run = (statement, values) => {
          statements.push(statement.trim());
          return run(statement, values);
        };
        return engine.wake([wake(runId)], { within: { database, run: counted } });
      }),
    );
    return statements;
  };
  const [check, ...wakes] = await statementsOf('run-1');
  assert.match(check ?? '', /lock/);
  assert.equal(wakes.length, 3, wakes.join('\n'));
  assert.deepEqual(await statementsOf('run-2'), wakes);
  assert.equal((await engine.figures()).ready, 3);
});

withServer('a worker that lost its connection receives "missed", and signals again afterwards', async () => {
  const schema = `missed_${process.pid}`;
  const logger = createMemoryLogger();
  await using engine = await createPgBossRunEngine({ url, schema, logger });
  const received: RunSignal[] = [];
  let notify: () => void = () => {};
  const next = async (type: RunSignal['type']): Promise<void> => {
    while (!received.some((signal) => signal.type === type)) await new Promise<void>((resolve) => (notify = resolve));
  };
  await engine.work({
    versions: ['v1'],
    slots: 1,
    handle: async () => ({ status: 'done' }),
    onSignal(signal) {
      received.push(signal);
      notify();
    },
  });
  await withClient(url, (client) =>
    client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN ${schema}'`),
  );
  await next('missed');
  await engine.signal({ type: 'cancel', runId: 'run-1' });
  await next('cancel');
  assert.ok(logger.messages('warn').some((message) => /lost the connection/.test(message)));
});

withServer('nothing is left of a run that was handled', async () => {
  const schema = `nothing_${process.pid}`;
  await using engine = await createPgBossRunEngine({ url, schema });
  const { promise: isHandled, resolve: onHandled } = Promise.withResolvers<void>();
  const working = await engine.work({
    versions: ['v1'],
    slots: 1,
    async handle() {
      onHandled();
      return { status: 'done' };
    },
  });
  await engine.wake([wake('run-1')]);
  await isHandled;
  await working[Symbol.asyncDispose]();
  const { rows } = await withClient(url, (client) => client.query(`SELECT 1 FROM ${schema}.job`));
  assert.deepEqual(rows, []);
});

withServer('two engines in different schemas of one database know nothing of each other', async () => {
  await using one = await createPgBossRunEngine({ url, schema: `one_${process.pid}` });
  await using other = await createPgBossRunEngine({ url, schema: `other_${process.pid}` });
  await one.wake([wake('run-1')]);
  assert.equal((await other.figures()).ready, 0);
});

test('options out of bounds are refused by name', async () => {
  for (const [options, code, field] of [
    [{ schema: 'Upper' }, 'E_CONFIG_INVALID', /schema/],
    [{ schema: 'x; DROP TABLE y' }, 'E_CONFIG_INVALID', /schema/],
    [{ schema: 'x'.repeat(51) }, 'E_CONFIG_INVALID', /schema/],
    [{ heartbeatMs: 5_000 }, 'E_ARGUMENTS_INVALID', /heartbeatMs.*10000/],
    [{ maxConnections: 1 }, 'E_ARGUMENTS_INVALID', /maxConnections/],
    [{ pollMs: 0 }, 'E_ARGUMENTS_INVALID', /pollMs/],
    [{ groupLimit: 0 }, 'E_ARGUMENTS_INVALID', /groupLimit/],
    [{ maxAttempts: 0 }, 'E_ARGUMENTS_INVALID', /maxAttempts/],
  ] as const) {
    await assert.rejects(
      createPgBossRunEngine({ url, ...options }),
      (error) => isKernelError(error, code) && field.test(error.message),
    );
  }
});

test('a database that cannot be reached makes the engine unavailable', async () => {
  await assert.rejects(
    createPgBossRunEngine({ url: 'postgres://user:password@127.0.0.1:1/closed', timeoutMs: 2_000 }),
    (error) => isKernelError(error, 'E_ENGINE_UNAVAILABLE') && error.retryable,
  );
});

withServer(
  'a run whose worker died, and that was woken since, is handled once for each wake and stops no other',
  async () => {
    const schema = `twice_${process.pid}`;
    await using engine = await createPgBossRunEngine({ url, schema });
    const setState = (state: string, before: string): Promise<unknown> =>
      withClient(url, (client) =>
        client.query(`UPDATE ${schema}.job SET state = $1, started_on = now() WHERE state = $2`, [state, before]),
      );
    await engine.wake([wake('run-1')]);
    await setState('active', 'created');
    await engine.wake([wake('run-1')]);
    // pg-boss does so when a worker gave no sign of life.
    await setState('retry', 'active');
    await engine.wake([wake('run-2', { group: 'bea' })]);
    const handled: string[] = [];
    const { promise: isDone, resolve: onDone } = Promise.withResolvers<void>();
    await engine.work({
      versions: ['v1'],
      slots: 20,
      async handle({ runId }) {
        handled.push(runId);
        if (handled.length === 3) onDone();
        return { status: 'done' };
      },
    });
    await isDone;
    assert.deepEqual(handled.toSorted(), ['run-1', 'run-1', 'run-2']);
    const { ready, dead } = await engine.figures();
    assert.deepEqual([ready, dead], [0, 0]);
  },
);
