import * as measures from './measures.ts';
import type { ScriptRunner } from './script-runner.ts';

/** Measurement that is taken of every runner. */
export interface Subject {
  /** Unique name, by which the process of a runner finds the subject. */
  readonly name: string;
  readonly unit: string;
  /** Goal of the sandbox that runs processes. */
  readonly goal?: string;
  /** Goal of the sandbox that runs containers; without it containers are not measured. */
  readonly dockerGoal?: string;
  /** Best that the machine allows: a round trip over a pipe, or an idle event loop. */
  readonly floor?: 'pipe' | 'idle';
  measure(runner: ScriptRunner): Promise<number>;
}

const kilobyte = 1_000;
const megabyte = 1_000_000;
const { textIn, textOut, rowsIn, rowsOut, waitingTogether } = measures;

/** Measurements of the waits of a user of code mode. */
export const scriptSubjects: readonly Subject[] = [
  {
    name: 'trivial script, guest ready',
    unit: 'ms',
    goal: '≤ 0.5 ms',
    dockerGoal: '≤ 5 ms',
    measure: measures.trivialFromPool,
  },
  { name: 'trivial script, back to back', unit: 'ms', goal: '≤ 1×', measure: measures.trivialBackToBack },
  {
    name: 'trivial scripts, 8 at once',
    unit: 'scripts/s',
    goal: '≥ 1 200 scripts/s',
    dockerGoal: '≥ 150 scripts/s',
    measure: measures.eightAtOnce,
  },
  {
    name: 'one call after the other',
    unit: 'µs',
    goal: '≤ 1.8× floor',
    dockerGoal: '≤ 2.5× floor',
    floor: 'pipe',
    measure: measures.sequentialCall,
  },
  {
    name: 'Promise.all of 1 000, per call',
    unit: 'µs',
    goal: '≤ 3 µs',
    dockerGoal: '≤ 10 µs',
    measure: measures.parallelCall,
  },
  { name: 'ten calls of 100 ms together', unit: 'ms', goal: '≤ 115 ms', measure: waitingTogether(10, 100) },
  {
    name: 'fifty calls of 20 ms together',
    unit: 'ms',
    goal: '≤ 22 ms',
    dockerGoal: '≤ 24 ms',
    measure: waitingTogether(50, 20),
  },
  {
    name: 'loop of 10⁷ steps',
    unit: 'ms',
    goal: '≤ 38 ms',
    dockerGoal: '≤ 40 ms',
    measure: measures.tenMillionSteps,
  },
  {
    name: 'host lag, script counts',
    unit: 'ms',
    goal: '≤ 3 ms',
    dockerGoal: '≤ 5 ms',
    floor: 'idle',
    measure: measures.hostLag,
  },
  { name: '50 scripts at once, finished', unit: 'scripts', goal: '≥ 50 scripts', measure: measures.fiftyFinish },
  { name: '50 scripts at once, last one done', unit: 'ms', goal: '≤ 1×', measure: measures.fiftyTime },
];

/** Measurements of data into a script and out of it. */
export const transferSubjects: readonly Subject[] = [
  { name: '1 KB of rows in', unit: 'ms', measure: rowsIn(kilobyte) },
  { name: '1 KB of rows out', unit: 'ms', measure: rowsOut(kilobyte) },
  { name: '100 KB of rows in', unit: 'ms', measure: rowsIn(100 * kilobyte) },
  { name: '100 KB of rows out', unit: 'ms', measure: rowsOut(100 * kilobyte) },
  { name: '1 MB text in', unit: 'ms', goal: '≤ 3.8 ms', dockerGoal: '≤ 8 ms', measure: textIn(megabyte) },
  { name: '1 MB text out', unit: 'ms', goal: '≤ 3.8 ms', dockerGoal: '≤ 8 ms', measure: textOut(megabyte) },
  { name: '1 MB of rows in', unit: 'ms', goal: '≤ 1×', measure: rowsIn(megabyte) },
  { name: '1 MB of rows out', unit: 'ms', goal: '≤ 1×', measure: rowsOut(megabyte) },
  { name: '10 MB text in', unit: 'ms', goal: '≤ 45 ms', measure: textIn(10 * megabyte) },
  { name: '10 MB text out', unit: 'ms', goal: '≤ 35 ms', measure: textOut(10 * megabyte) },
  { name: '10 MB of rows in', unit: 'ms', goal: '≤ 1×', measure: rowsIn(10 * megabyte) },
  { name: '10 MB of rows out', unit: 'ms', goal: '≤ 1×', measure: rowsOut(10 * megabyte) },
];

/** Finds a subject by its name. */
export function subjectOf(name: string): Subject | undefined {
  return [...scriptSubjects, ...transferSubjects].find((subject) => subject.name === name);
}
