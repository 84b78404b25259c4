import type { RateCharge, RateStore } from '@ravi/kernel';
import { invalid } from './errors.ts';
import { principalKey } from './keys.ts';
import type { Database, SqlRow } from './database.ts';

const table = 'ravi_rates';
const namePattern = /^[a-z0-9-]{1,64}$/;
const minuteMs = 60_000;
// An fsync for each block of requests would cost more than the last counts before a power failure are worth.
const process = { durability: 'process' } as const;

/** Creates a store of allowances in a table with one row for each limit and client. A charge is one statement. */
export function createRateStore(database: Database): RateStore {
  const now = database.dialect.leaseNow;
  const cost = 'CAST($3 AS DOUBLE PRECISION)';
  const charged = `
    INSERT INTO ${table} (limit_name, client_key, full_at) VALUES ($1, $2, ${now} + ${cost})
    ON CONFLICT (limit_name, client_key) DO UPDATE
      SET full_at = CASE WHEN ${table}.full_at > ${now} THEN ${table}.full_at ELSE ${now} END + ${cost}
    RETURNING full_at - ${now} AS ahead`;

  return {
    async charge(charge) {
      const { limit, client, amount, perMinute } = checked(charge);
      const msPerOne = minuteMs / perMinute;
      const [row] = await database.transaction(
        (sql) => sql.all(charged, [limit, principalKey(client), amount * msPerOne]),
        process,
      );
      const waitMs = Math.ceil(aheadIn(row) - (minuteMs - msPerOne));
      return waitMs > 0 ? waitMs : undefined;
    },

    async removeFull() {
      const removed = await database.all(`DELETE FROM ${table} WHERE full_at <= ${now} RETURNING limit_name`);
      return removed.length;
    },
  };
}

function checked(charge: RateCharge): RateCharge {
  const { limit, amount, perMinute } = charge;
  if (!namePattern.test(limit)) {
    throw invalid(
      `The name of a limit must be 1 to 64 lower-case letters, digits and hyphens, got ${JSON.stringify(limit.slice(0, 80))}`,
    );
  }
  if (!Number.isSafeInteger(amount) || amount < 1) throw invalid(`A charge must be a positive integer, got ${amount}`);
  if (!Number.isFinite(perMinute) || perMinute <= 0) {
    throw invalid(`The size of an allowance must be a positive number, got ${perMinute}`);
  }
  return charge;
}

function aheadIn(row: SqlRow | undefined): number {
  const ahead = Number(row?.['ahead']);
  if (Number.isFinite(ahead)) return ahead;
  throw new TypeError(`${table} returned no time`);
}
