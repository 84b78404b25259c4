import { parseArgs } from 'node:util';
import type { FaultKind } from './kill/faults.ts';
import { isKept, reportOf } from './kill/report.ts';
import { runKillTest } from './kill/run-kill-test.ts';

const usage = `Usage: node scripts/kill-test.ts [--faults <number>] [--store sqlite|postgres] [--seed <number>]
                                 [--servers <number>] [--runs <number>] [--kinds <kind,...>] [--settle <seconds>]

Kills, freezes and disconnects real servers during runs, then checks from outside that nothing was lost, repeated or
misreported.

  --faults   faults in total, 1000 by default
  --servers  servers over the store, 2 by default
  --runs     runs that are kept going, 8 by default
  --kinds    only these faults: SIGKILL, SIGTERM, SIGSTOP, "clock step", cut, "black hole", restart
  --settle   seconds to wait for the last runs, 180 by default`;

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '1000' },
    store: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: '1' },
    servers: { type: 'string', default: '2' },
    runs: { type: 'string', default: '8' },
    kinds: { type: 'string' },
    settle: { type: 'string', default: '180' },
  },
});
const [faults, seed, servers, liveRuns, settle] = [
  values.faults,
  values.seed,
  values.servers,
  values.runs,
  values.settle,
].map(Number) as [number, number, number, number, number];
const { store } = values;
const areNumbers = [faults, servers, liveRuns, settle].every((value) => Number.isSafeInteger(value) && value > 0);
if (!areNumbers || !Number.isSafeInteger(seed) || (store !== 'sqlite' && store !== 'postgres')) {
  console.error(usage);
  process.exit(2);
}

// An exit ends the servers too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const result = await runKillTest({
  store,
  faults,
  seed,
  servers,
  liveRuns,
  settleMs: settle * 1_000,
  ...(values.kinds === undefined ? {} : { kinds: values.kinds.split(',') as FaultKind[] }),
  onProgress: (line) => console.error(line),
});
for (const line of reportOf(`${store}, seed ${seed}, ${servers} servers`, result)) console.log(line);
process.exit(isKept(result) ? 0 : 1);
