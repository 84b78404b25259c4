import { openPipeFloor } from '../floors/pipe-floor.ts';
import type { BenchGroup } from '../group.ts';
import type { Contender } from '../interleave.ts';
import type { BenchRow } from '../row.ts';
import { rowsOf } from '../rows-of.ts';
import { createAiSdkRunner } from './ai-sdk-runner.ts';
import { createChainRunner } from './chain-runner.ts';
import * as measures from './measures.ts';
import type { ScriptRunner } from './script-runner.ts';
import { createTanStackRunner } from './tanstack-runner.ts';

const megabyte = 1_000_000;

interface Subject {
  readonly name: string;
  readonly unit: string;
  readonly goal: string;
  readonly measure: (runner: ScriptRunner) => Promise<number>;
  readonly floor?: Contender;
}

/** A model's script through our whole chain beside the code modes of TanStack AI and the AI SDK. */
export const benchSandboxes: BenchGroup = async ({ rounds }) => {
  await using pipe = openPipeFloor();
  await using ours = createChainRunner();
  await using tanStack = createTanStackRunner();
  await using aiSdk = createAiSdkRunner();
  const rows: BenchRow[] = [];
  for (const { measure, ...subject } of subjects(async () => (await pipe.roundTripMs(300)) * 1000)) {
    const contender = (runner: ScriptRunner): Contender => ({ name: runner.name, measure: () => measure(runner) });
    const peers = [contender(tanStack), contender(aiSdk)];
    rows.push(...(await rowsOf({ group: 'sandboxes', ...subject, ours: contender(ours), peers }, rounds)));
  }
  return rows;
};

function subjects(pipeRoundTripUs: () => Promise<number>): readonly Subject[] {
  const idle: Contender = { name: 'idle event loop', measure: measures.idleLag };
  const pipe: Contender = { name: 'stdio pipe round trip', measure: pipeRoundTripUs };
  const { textIn, textOut, rowsIn, rowsOut, waitingTogether } = measures;
  return [
    { name: 'trivial script, guest ready', unit: 'ms', goal: '≤ 1 ms', measure: measures.trivialFromPool },
    { name: 'trivial script, back to back', unit: 'ms', goal: '≤ 1×', measure: measures.trivialBackToBack },
    { name: 'trivial scripts, 8 at once', unit: 'scripts/s', goal: '≥ 1 200 scripts/s', measure: measures.eightAtOnce },
    { name: 'one call after the other', unit: 'µs', goal: '≤ 2× floor', measure: measures.sequentialCall, floor: pipe },
    { name: 'Promise.all of 1 000, per call', unit: 'µs', goal: '≤ 5 µs', measure: measures.parallelCall },
    { name: 'ten calls of 100 ms together', unit: 'ms', goal: '≤ 115 ms', measure: waitingTogether(10, 100) },
    { name: 'fifty calls of 20 ms together', unit: 'ms', goal: '≤ 22 ms', measure: waitingTogether(50, 20) },
    { name: '1 MB text in', unit: 'ms', goal: '≤ 3.8 ms', measure: textIn(megabyte) },
    { name: '1 MB text out', unit: 'ms', goal: '≤ 3.8 ms', measure: textOut(megabyte) },
    { name: '1 MB of rows in', unit: 'ms', goal: '≤ 1×', measure: rowsIn(megabyte) },
    { name: '1 MB of rows out', unit: 'ms', goal: '≤ 1×', measure: rowsOut(megabyte) },
    { name: '10 MB text in', unit: 'ms', goal: '≤ 45 ms', measure: textIn(10 * megabyte) },
    { name: '10 MB text out', unit: 'ms', goal: '≤ 35 ms', measure: textOut(10 * megabyte) },
    { name: 'loop of 10⁷ steps', unit: 'ms', goal: '≤ 38 ms', measure: measures.tenMillionSteps },
    { name: 'host lag, script counts', unit: 'ms', goal: '≤ 5 ms', measure: measures.hostLag, floor: idle },
    { name: '50 scripts at once, finished', unit: 'scripts', goal: '≥ 50 scripts', measure: measures.fiftyFinish },
    { name: '50 scripts at once, last one done', unit: 'ms', goal: '≤ 1×', measure: measures.fiftyTime },
  ];
}
