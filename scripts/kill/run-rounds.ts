import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { runKillTest } from './run-kill-test.ts';
import type { KillTestOptions } from './run-kill-test.ts';
import { addUp, summarize, totalOf } from './round-summary.ts';
import type { RoundSummary } from './round-summary.ts';
import { buildServer } from './servers.ts';

/** Options of {@link runRounds}. */
export interface RoundsOptions extends KillTestOptions {
  /** Faults of each round. Every round has a new database, and the next seed. */
  readonly faultsPerRound: number;
  /** Rounds at once. */
  readonly lanes: number;
  /** File with a line of JSON for each round that has ended. The rounds in it are not run again. */
  readonly progressFile?: string;
  onRound?(round: RoundSummary, total: RoundSummary): void;
}

/**
 * Runs rounds of the kill test until they have caused all faults. With a progress file, a later call with the same options
 * continues after the last complete round. A round that cannot be completed is a mistake of the test; the others continue.
 */
export async function runRounds(options: RoundsOptions): Promise<RoundSummary> {
  const { faults, faultsPerRound, lanes, progressFile, onProgress = () => {} } = options;
  const rounds = [...readProgress(progressFile)];
  const known = new Set(rounds.flatMap(({ seeds }) => seeds));
  const missing = roundsOf(options).filter(({ seed }) => !known.has(seed));
  if (known.size > 0) onProgress(`${known.size} rounds are in ${progressFile}; ${missing.length} are left`);
  buildServer();

  const run = async (round: Pick<KillTestOptions, 'seed' | 'faults'>): Promise<RoundSummary> => {
    const tell = (line: string): void => onProgress(`round ${round.seed}: ${line}`);
    return summarize(round.seed, await runKillTest({ ...options, ...round, onProgress: tell }));
  };
  const rest = missing.values();
  const mistakes: string[] = [];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const round of rest) {
        try {
          const summary = await run(round);
          rounds.push(summary);
          if (progressFile !== undefined) appendFileSync(progressFile, `${JSON.stringify(summary)}\n`);
          options.onRound?.(summary, addUp(rounds));
        } catch (error) {
          mistakes.push(`round ${round.seed} was not completed: ${String(error)}`);
        }
      }
    }),
  );
  const total = addUp(rounds);
  if (totalOf(total.faults) < faults && mistakes.length === 0) {
    mistakes.push(
      `${totalOf(total.faults)} faults instead of ${faults}: is ${progressFile} of rounds of ${faultsPerRound}?`,
    );
  }
  return { ...total, mistakes: [...total.mistakes, ...mistakes] };
}

function roundsOf({
  faults,
  faultsPerRound,
  seed,
}: RoundsOptions): readonly Pick<KillTestOptions, 'seed' | 'faults'>[] {
  return Array.from({ length: Math.ceil(faults / faultsPerRound) }, (_, round) => ({
    seed: seed + round,
    faults: Math.min(faultsPerRound, faults - round * faultsPerRound),
  }));
}

function readProgress(file: string | undefined): readonly RoundSummary[] {
  if (file === undefined || !existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RoundSummary);
}
