import { readFileSync } from 'node:fs';
import type { Database } from '@ravi/state-kit';

/** Clock of a machine: its processes agree on the time, and setting the wall clock does not change it. */
export interface MachineClock {
  now(): number;
  /** Takes over the time of the processes that have opened the database since the machine started. */
  join(database: Database): Promise<void>;
}

const bootIdFile = '/proc/sys/kernel/random/boot_id';

/**
 * Creates a clock that counts with the monotonic clock, which all processes of a machine share until it restarts. The first
 * process that opens the database after a restart of the machine stores the time at which that clock was 0, and marks all earlier
 * processes as dead, also those of versions that stored the end of a lease with each run. Where the start of the machine has no id, the clock is the wall clock.
 */
export function createMachineClock(): MachineClock {
  const boot = readBootId();
  let zeroAt: number | undefined;
  return {
    now: () => (zeroAt === undefined ? Date.now() : zeroAt + sinceBoot()),
    async join(database) {
      if (boot === undefined) return;
      await database.transaction(async (sql) => {
        await sql.all(
          'CREATE TABLE IF NOT EXISTS ravi_machine_clock (boot TEXT PRIMARY KEY, zero_at INTEGER NOT NULL)',
        );
        const mine = Math.round(Date.now() - sinceBoot());
        await sql.all('INSERT INTO ravi_machine_clock VALUES ($1, $2) ON CONFLICT DO NOTHING', [boot, mine]);
        const earlier = await sql.all('DELETE FROM ravi_machine_clock WHERE boot <> $1 RETURNING boot', [boot]);
        // No process has outlived the restart of the machine.
        if (earlier.length > 0) {
          await sql.all('UPDATE ravi_processes SET dead_at = 0');
          await sql.all('DELETE FROM ravi_leases');
          await sql.all('UPDATE ravi_runs SET lease_expires_at = 0 WHERE lease_owner IS NOT NULL');
        }
        const [row] = await sql.all('SELECT zero_at FROM ravi_machine_clock WHERE boot = $1', [boot]);
        zeroAt = Number(row?.['zero_at'] ?? mine);
      });
    },
  };
}

function sinceBoot(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

function readBootId(): string | undefined {
  try {
    return readFileSync(bootIdFile, 'utf8').trim();
  } catch {
    return undefined;
  }
}
