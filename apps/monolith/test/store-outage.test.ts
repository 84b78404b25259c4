import assert from 'node:assert/strict';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { afterAll, test } from 'vitest';
import type { Fault } from './support/outage/faulty-store.ts';
import { runCase } from './support/outage/run-case.ts';
import { scenarios } from './support/outage/scenarios.ts';
import type { Scenario } from './support/outage/scenarios.ts';

// Every operation is swept with RAVI_OUTAGE_SWEEP=all; by default only the last call of each, which is in the run itself.
const isWhole = process.env['RAVI_OUTAGE_SWEEP'] === 'all';
const atOnce = 4;
const limits = { timeout: isWhole ? 3_600_000 : 120_000 };
const sandbox = createIsolatedVmSandbox();
afterAll(() => sandbox[Symbol.asyncDispose]?.());

/** Returns the faults of a scenario, whose operations were called as often as `counts` says. */
function faultsOf({ isKilled, approvals }: Scenario, counts: ReadonlyMap<string, number>): readonly Fault[] {
  const all = [...counts].flatMap(([operation, count]) =>
    Array.from({ length: count }, (_, index) => ({ operation, number: index + 1, isLast: index + 1 === count })),
  );
  if (isWhole)
    return all.flatMap(({ operation, number }): readonly Fault[] => [
      { operation, number, moment: 'before', times: 1 },
      { operation, number, moment: 'after', times: 1 },
      { operation, number, moment: 'after', times: 3 },
    ]);
  const last = all.filter(({ isLast }) => isLast);
  // The sandbox of a process that is killed, and pauses, take most of the time.
  const chosen = isKilled === true || approvals === 'pause' ? last.filter((_, index) => index % 3 === 0) : last;
  return chosen.map(({ operation, number }, index) => ({
    operation,
    number,
    moment: index % 2 === 0 ? 'after' : 'before',
    times: index % 3 === 0 ? 3 : 1,
  }));
}

/** Runs a scenario once for each fault and returns the problems, with the operation that failed. */
async function sweep(scenario: Scenario): Promise<readonly string[]> {
  const { counts, events } = await runCase(scenario, sandbox);
  const faults = faultsOf(scenario, counts);
  const problems: string[] = [];
  let next = 0;
  async function work(): Promise<void> {
    for (let fault = faults[next++]; fault !== undefined; fault = faults[next++]) {
      const { operation, number, moment, times } = fault;
      try {
        const result = await runCase(scenario, sandbox, fault);
        assert.deepEqual(result.events, events);
      } catch (error) {
        problems.push(`call ${number} of ${operation} fails ${moment} its effect, ${times} times: ${String(error)}`);
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return problems;
}

for (const scenario of scenarios) {
  test(`no operation of the store that fails for a moment ends the run: ${scenario.name}`, limits, async () => {
    assert.deepEqual(await sweep(scenario), []);
  });
}
