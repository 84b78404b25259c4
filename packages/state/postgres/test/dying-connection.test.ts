import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { postgresForTests } from '@ravi/state-testing';
import pg from 'pg';
import { afterAll, test } from 'vitest';
import { createPostgresStateStore } from '../src/index.ts';
import { endsConnection, stateError } from '../src/postgres-errors.ts';

const server = await postgresForTests();
afterAll(() => server[Symbol.asyncDispose]());
const { url } = server;
const withServer = url === undefined ? test.skip : test;

function databaseError(code: string, severity = 'ERROR'): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('The words of the server', 23, 'error'), { code, severity });
}

const passing: readonly (readonly [name: string, error: unknown, endsConnection: boolean])[] = [
  ['a shutdown by an administrator', databaseError('57P01', 'FATAL'), true],
  ['a crash of another process of the server', databaseError('57P02', 'FATAL'), true],
  ['a server that is starting up', databaseError('57P03', 'FATAL'), true],
  ['a connection exception', databaseError('08006'), true],
  ['a protocol violation', databaseError('08P01', 'FATAL'), true],
  ['an ended idle transaction', databaseError('25P03', 'FATAL'), true],
  ['too many connections', databaseError('53300', 'FATAL'), true],
  ['a failed transaction', databaseError('25P02'), false],
  ['a serialization failure', databaseError('40001'), false],
  ['a deadlock', databaseError('40P01'), false],
  ['a reset connection', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }), true],
  ['a connection that ends', new Error('Connection terminated unexpectedly'), true],
  ['a client that has ended', new Error('Client has encountered a connection error and is not queryable'), true],
  ['a connection that cannot be opened', new AggregateError([new Error('connect ECONNREFUSED')]), true],
];

for (const [name, error, isEnd] of passing) {
  test(`${name} is an outage that passes${isEnd ? ', and its connection is not used again' : ''}`, () => {
    const converted = stateError(error);
    assert.ok(isKernelError(converted, 'E_STATE_UNAVAILABLE') && converted.retryable, String(converted));
    assert.equal(endsConnection(error), isEnd);
  });
}

withServer('connections that the server ends fail only the statements on them', { timeout: 60_000 }, async () => {
  const schema = `dying_${process.pid}`;
  await using store = await createPostgresStateStore({ url: url ?? '', schema, maxConnections: 2 });
  const admin = new pg.Client({ connectionString: url ?? '' });
  await admin.connect();
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'ravi' AND datname = current_database() AND pid <> pg_backend_pid()`;
  let failures = 0;
  try {
    for (let round = 0; round < 20; round++) {
      const run = { principal: 'ada', sessionId: 'session-1', definition: { kind: 'chain' }, createdAt: 1 };
      const created = Array.from({ length: 8 }, (_, index) =>
        store.runs.create({ ...run, id: `run-${round}-${index}` }),
      );
      const writes = Promise.allSettled(created);
      await admin.query(end);
      for (const { status, ...outcome } of await writes) {
        if (status === 'fulfilled') continue;
        failures++;
        const { reason } = outcome as PromiseRejectedResult;
        assert.ok(isKernelError(reason, 'E_STATE_UNAVAILABLE') && reason.retryable, String(reason));
      }
    }
  } finally {
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  }
  assert.ok(failures > 0, 'no statement was ended');
});
