import type { LeaseStore } from '@ravi/kernel';
import { invalid } from './errors.ts';
import { checkId } from './keys.ts';
import type { Database, SqlRow, SqlValue } from './database.ts';

const table = 'ravi_leases';
const maxForMs = 86_400_000;
// After a power failure its process is gone, too.
const process = { durability: 'process' } as const;

/** Creates a store of leases in a table with one row for each name. A claim is one statement. */
export function createLeaseStore(database: Database): LeaseStore {
  const { leaseNow: now } = database.dialect;
  const claimed = `
    INSERT INTO ${table} (name, owner, ends_at) VALUES ($1, $2, ${now} + CAST($3 AS BIGINT))
    ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, ends_at = excluded.ends_at
      WHERE ${table}.owner = excluded.owner OR ${table}.ends_at <= ${now}
    RETURNING name`;
  const released = `DELETE FROM ${table} WHERE name = $1 AND owner = $2 AND ends_at > ${now} RETURNING name`;

  const run = (sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> =>
    database.transaction((runner) => runner.all(sql, values), process);

  return {
    async acquire(name, { owner, forMs }) {
      if (!Number.isSafeInteger(forMs) || forMs < 1 || forMs > maxForMs) {
        throw invalid(`The time of a lease must be a whole number from 1 to ${maxForMs}, got ${forMs}`);
      }
      const place = [checkId(name, 'The name of a lease'), checkId(owner, 'The owner of a lease')];
      return (await run(claimed, [...place, forMs])).length > 0;
    },
    release: async (name, owner) => (await run(released, [name, owner])).length > 0,
  };
}
