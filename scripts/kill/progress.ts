import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { totalOf } from './round-summary.ts';
import type { RoundSummary } from './round-summary.ts';

/** Values that all rounds of a progress file have in common: options of the test, and its code. */
export type TestIdentity = Readonly<Record<string, string | number>>;

/** A round that is to be run. */
export interface WantedRound {
  readonly seed: number;
  readonly faults: number;
}

/** File with the rounds of a test that have ended, so that a later process continues it. */
export interface Progress {
  /** Rounds of earlier processes. */
  readonly rounds: readonly RoundSummary[];
  /** Records the folder of a round that begins; a later process removes it if the round breaks off. */
  begin(seed: number, folder: string): void;
  /** Records a complete round. */
  end(round: RoundSummary): void;
}

/** Options of {@link openProgress}. */
export interface ProgressOptions {
  readonly identity: TestIdentity;
  /** Shown when the identity differs; another commit alone may have the same code. */
  readonly commit: string;
  readonly wanted: readonly WantedRound[];
}

interface TestLine {
  readonly test: TestIdentity;
  readonly commit: string;
}

type Line = TestLine | { readonly begun: number; readonly folder: string } | { readonly round: RoundSummary };

/**
 * Opens a progress file, or creates it. An incomplete last line, which a killed process leaves, is removed, and so are the
 * folders of rounds that broke off.
 * @throws Error that says how the file differs, if its rounds are not among the wanted ones of this test
 */
export function openProgress(file: string, { identity, commit, wanted }: ProgressOptions): Progress {
  const add = (line: Line): void => appendFileSync(file, `${JSON.stringify(line)}\n`);
  const lines = readLines(file);
  const [first] = lines;
  if (first === undefined) add({ test: identity, commit });
  else checkIdentity(file, 'test' in first ? first : { test: {}, commit: 'none' }, { test: identity, commit });
  const rounds = lines.flatMap((line) => ('round' in line ? [line.round] : []));
  for (const round of rounds) checkWanted(file, round, wanted);
  const ended = new Set(rounds.flatMap(({ seeds }) => seeds));
  for (const line of lines) {
    if ('begun' in line && !ended.has(line.begun)) rmSync(line.folder, { recursive: true, force: true });
  }
  return {
    rounds,
    begin: (begun, folder) => add({ begun, folder }),
    end: (round) => add({ round }),
  };
}

function readLines(file: string): readonly Line[] {
  if (!existsSync(file)) return [];
  const content = readFileSync(file, 'utf8');
  const complete = content.slice(0, content.lastIndexOf('\n') + 1);
  if (complete !== content) writeFileSync(file, complete);
  const lines = complete.split('\n').filter((line) => line !== '');
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as Line;
    } catch (cause) {
      throw new Error(`Line ${index + 1} of ${file} is not JSON`, { cause });
    }
  });
}

function checkIdentity(file: string, found: TestLine, wanted: TestLine): void {
  const names = [...new Set([...Object.keys(found.test), ...Object.keys(wanted.test)])];
  const different = names.filter((name) => found.test[name] !== wanted.test[name]);
  if (different.length === 0) return;
  const list = different.map(
    (name) => `${name} ${found.test[name] ?? 'none'} instead of ${wanted.test[name] ?? 'none'}`,
  );
  throw new Error(
    `${file} has rounds of another test (commit ${found.commit}, now ${wanted.commit}): ${list.join(', ')}. Use the same ` +
      'options and code, or another file',
  );
}

function checkWanted(file: string, { seeds, faults }: RoundSummary, wanted: readonly WantedRound[]): void {
  const round = wanted.find(({ seed }) => seeds.includes(seed));
  if (round === undefined) throw new Error(`${file} has round ${seeds.join()}, which is not one of this test`);
  const found = totalOf(faults);
  if (found === round.faults) return;
  throw new Error(`Round ${round.seed} of ${file} has ${found} faults instead of ${round.faults}`);
}
