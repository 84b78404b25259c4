import { parseArgs } from 'node:util';
import { faultKindsOf, readFaultKinds } from './kill/faults.ts';
import type { FaultKind } from './kill/faults.ts';
import { reportOf } from './kill/report.ts';
import { isKept, totalOf } from './kill/round-summary.ts';
import { maxKeptFolders, runRounds } from './kill/run-rounds.ts';
import type { RoundsOptions } from './kill/run-rounds.ts';
import { engineNames, engineOf } from './lib/postgres.ts';

const usage = `Usage: node scripts/kill-test.ts [--faults <number>] [--store sqlite|postgres] [--engine ${engineNames.join('|')}] [--seed <number>]
                                 [--round <faults>] [--lanes <number>] [--servers <number>] [--runs <number>] [--lease <milliseconds>]
                                 [--kinds <kind,...>] [--settle <seconds>] [--progress <file>]

Kills, freezes and disconnects real servers during runs, then checks from outside that nothing was lost, repeated or
misreported. It works in rounds, each with new servers, a new database and the next seed, and stops after the last fault.

  --faults    faults in total, 1000 by default
  --engine    engine of runs of the servers, memory by default; pg-boss needs postgres
  --round     faults of each round, 50 by default
  --lanes     rounds at once, 1 by default
  --servers   servers over the store, 3 by default
  --runs      runs that are kept going, 8 by default
  --lease     milliseconds of silence after which a server counts as dead, 4000 by default
  --kinds     only these faults: ${faultKindsOf('sqlite').join(', ')};
              with postgres also: ${faultKindsOf('postgres').slice(faultKindsOf('sqlite').length).join(', ')}
  --settle    seconds to wait for the last runs of a round, 180 by default
  --progress  file to which each round is added; the same command with the same code continues after the last complete round

It exits with 0 if every guarantee was kept, with 1 if one was not, and with 2 if an option is wrong or the progress file is of
another test. The folders of the first ${maxKeptFolders} violated rounds are kept.`;

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '1000' },
    store: { type: 'string', default: 'sqlite' },
    engine: { type: 'string', default: 'memory' },
    seed: { type: 'string', default: '1' },
    round: { type: 'string', default: '50' },
    lanes: { type: 'string', default: '1' },
    servers: { type: 'string', default: '3' },
    runs: { type: 'string', default: '8' },
    lease: { type: 'string', default: '4000' },
    kinds: { type: 'string' },
    settle: { type: 'string', default: '180' },
    progress: { type: 'string' },
  },
});
const [faults, faultsPerRound, lanes, servers, liveRuns, leaseMs, settle, seed] = [
  values.faults,
  values.round,
  values.lanes,
  values.servers,
  values.runs,
  values.lease,
  values.settle,
  values.seed,
].map(Number) as [number, number, number, number, number, number, number, number];
const { store, progress } = values;
const engine = engineOf(values.engine);
const areNumbers = [faults, faultsPerRound, lanes, servers, liveRuns, leaseMs, settle].every(
  (value) => Number.isSafeInteger(value) && value > 0,
);
if (!areNumbers || !Number.isSafeInteger(seed) || (store !== 'sqlite' && store !== 'postgres')) {
  console.error(usage);
  process.exit(2);
}
if (engine === undefined || (engine === 'pg-boss' && store === 'sqlite')) {
  const fitting = store === 'sqlite' ? 'memory' : engineNames.join(', ');
  console.error(`--engine: "${values.engine}" is not an engine of a test on ${store}. Choose from: ${fitting}`);
  process.exit(2);
}
const kinds = values.kinds === undefined ? undefined : chosenKinds(values.kinds, store);

function chosenKinds(list: string, of: RoundsOptions['store']): readonly FaultKind[] {
  try {
    return readFaultKinds(list, of);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

// An exit ends the servers too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const title = `${store}, engine ${engine}, from seed ${seed}, ${servers} servers`;
const options: RoundsOptions = {
  store,
  engine,
  faults,
  faultsPerRound,
  lanes,
  seed,
  servers,
  liveRuns,
  leaseMs,
  settleMs: settle * 1_000,
  ...(kinds === undefined ? {} : { kinds }),
  ...(progress === undefined ? {} : { progressFile: progress }),
  onProgress: (line) => console.error(line),
  onRound(round, total) {
    for (const line of reportOf(`round ${round.seeds.join()}`, round)) console.error(line);
    console.error(`${totalOf(total.faults)} of ${faults} faults`);
  },
};
const summary = await runRounds(options).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
});
for (const line of reportOf(title, summary)) console.log(line);
process.exit(isKept(summary) ? 0 : 1);
