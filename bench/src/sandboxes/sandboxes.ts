import { openPipeFloor } from '../floors/pipe-floor.ts';
import type { BenchGroup, BenchRow } from '../row.ts';
import type { Contender } from '../interleave.ts';
import { rowsOf } from '../rows-of.ts';
import { createDockerRunner } from './remote-runners.ts';
import { idleLag } from './measures.ts';
import { openRunnerProcess } from './runner-process.ts';
import { peerNames } from './runners.ts';
import type { RunnerName } from './runners.ts';
import { scriptSubjects, transferSubjects } from './subjects.ts';
import type { Subject } from './subjects.ts';

/** Measures a model's script in the whole chain, compared with the code modes of other projects. */
export const benchSandboxes: BenchGroup = ({ rounds }) => measure('sandboxes', 'Ravi', scriptSubjects, rounds);

/** Measures the same scripts in the sandbox alone, with tools as plain functions, as peers do. */
export const benchBareSandbox: BenchGroup = ({ rounds }) =>
  measure('sandbox alone', 'Ravi, sandbox alone', scriptSubjects, rounds);

/** Measures the sandbox on a node, compared with the same sandbox in processes of the server. */
export const benchRemoteSandbox: BenchGroup = ({ rounds }) =>
  measure(
    'sandbox on a node',
    'Ravi, sandbox on a node',
    [...scriptSubjects, ...transferSubjects].map(({ goal: _goal, ...subject }) => subject),
    rounds,
    ['Ravi, sandbox alone'],
  );

/** Measures data into a script and out of it, from 1 KB to 10 MB. */
export const benchTransfers: BenchGroup = ({ rounds }) => measure('transfers', 'Ravi', transferSubjects, rounds);

/** Measures the same chain with containers instead of processes. Without an engine there is one row with the reason. */
export const benchDocker: BenchGroup = async ({ rounds }) => {
  const missing = await whyNoDocker();
  if (missing !== undefined)
    return [{ group: 'docker', name: 'not measured', ours: Number.NaN, unit: '', note: missing }];
  return measure('docker', 'Ravi in docker', [...scriptSubjects, ...transferSubjects].flatMap(inDocker), rounds);
};

async function whyNoDocker(): Promise<string | undefined> {
  await using runner = createDockerRunner();
  try {
    await runner.run('return 0');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function inDocker({ dockerGoal, ...subject }: Subject): readonly Subject[] {
  return dockerGoal === undefined ? [] : [{ ...subject, goal: dockerGoal }];
}

async function measure(
  group: string,
  oursName: RunnerName,
  subjects: readonly Subject[],
  rounds: number,
  others: readonly RunnerName[] = peerNames,
): Promise<readonly BenchRow[]> {
  await using stream = openPipeFloor('stream');
  const floors = {
    pipe: { name: 'stdio pipe round trip', measure: async () => (await stream.roundTripMs(300)) * 1000 },
    idle: { name: 'idle event loop', measure: idleLag },
  } as const satisfies Record<string, Contender>;
  await using processes = new AsyncDisposableStack();
  const ours = processes.use(openRunnerProcess(oursName));
  const peers = others.map((name) => processes.use(openRunnerProcess(name)));
  const rows: BenchRow[] = [];
  for (const subject of subjects) {
    const { name, unit, goal, floor } = subject;
    const contenders = { ours: ours.contender(subject), peers: peers.map((peer) => peer.contender(subject)) };
    const optional = {
      ...(goal === undefined ? {} : { goal }),
      ...(floor === undefined ? {} : { floor: floors[floor] }),
    };
    rows.push(...(await rowsOf({ group, name, unit, ...optional, ...contenders }, rounds)));
  }
  return rows;
}
