import type { RunWake, StateTransaction } from '@ravi/kernel';
import pg from 'pg';

/** Returns a wake of a run of `ada`. */
export function wake(runId: string, changes: Partial<RunWake> = {}): RunWake {
  return { runId, group: 'ada', version: 'v1', reason: 'begun', ...changes };
}

/** Runs the body with a connection of its own. */
export async function withClient<Result>(url: string, body: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await body(client);
  } finally {
    await client.end();
  }
}

/** Runs the body in a transaction of a connection, as a state store in the same database does. */
export async function transact(
  client: pg.Client,
  body: (transaction: StateTransaction) => Promise<void>,
): Promise<void> {
  await client.query('BEGIN');
  try {
    await body({
      database: 'postgres',
      run: async (statement, values = []) => (await client.query(statement, [...values])).rows,
    });
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}
