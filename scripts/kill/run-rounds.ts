import { rmSync } from 'node:fs';
import { codeCommit, codeDigest } from './code-version.ts';
import { openProgress } from './progress.ts';
import type { TestIdentity, WantedRound } from './progress.ts';
import { runKillTest } from './run-kill-test.ts';
import type { KillTestOptions, KillTestResult } from './run-kill-test.ts';
import { addUp, summarize } from './round-summary.ts';
import type { RoundSummary } from './round-summary.ts';
import { buildServer } from '../../apps/monolith/test/support/server-process.ts';

/** Options of {@link runRounds}. */
export interface RoundsOptions extends KillTestOptions {
  /** Faults of each round. Every round has a new database, and the next seed. */
  readonly faultsPerRound: number;
  /** Rounds at once. */
  readonly lanes: number;
  /** File with the rounds that have ended. They are not run again. */
  readonly progressFile?: string;
  onRound?(round: RoundSummary, total: RoundSummary): void;
}

/** Code that the rounds are run with. A test of the rounds replaces it. */
export interface RoundCode {
  /** Makes the code ready to run. */
  prepare(): void;
  /** Returns a text that changes with the code. */
  digest(): string;
  commit(): string;
  run(options: KillTestOptions): Promise<KillTestResult>;
}

const ownCode: RoundCode = { prepare: buildServer, digest: codeDigest, commit: codeCommit, run: runKillTest };

/** Number of violated rounds whose folders are kept. */
export const maxKeptFolders = 20;

/**
 * Runs rounds of the kill test until they have caused all faults. With a progress file, a later call with the same options
 * and code continues after the last complete round. A round that cannot be completed, or during which the code changes, is a
 * mistake of the test: it does not count, and the others continue.
 * @throws Error if the progress file belongs to another test
 */
export async function runRounds(options: RoundsOptions, code: RoundCode = ownCode): Promise<RoundSummary> {
  const { lanes, progressFile, onProgress = () => {} } = options;
  code.prepare();
  const digest = code.digest();
  const wanted = roundsOf(options);
  const progress =
    progressFile === undefined
      ? undefined
      : openProgress(progressFile, { identity: identityOf(options, digest), commit: code.commit(), wanted });
  const rounds = [...(progress?.rounds ?? [])];
  const known = new Set(rounds.flatMap(({ seeds }) => seeds));
  const missing = wanted.filter(({ seed }) => !known.has(seed));
  if (known.size > 0) onProgress(`${known.size} rounds are in ${progressFile}; ${missing.length} are left`);

  async function run(round: WantedRound): Promise<void> {
    const result = await code.run({
      ...options,
      ...round,
      onProgress: (line) => onProgress(`round ${round.seed}: ${line}`),
      onFolder: (folder) => progress?.begin(round.seed, folder),
    });
    const summary = summarize(round.seed, result);
    if (code.digest() !== digest) throw new Error(`the code changed; its folder is ${result.folder}`);
    if (summary.mistakes.length > 0) throw new Error(`${summary.mistakes.join('; ')}; its folder is ${result.folder}`);
    const kept = limitFolders(summary, rounds);
    rounds.push(kept);
    progress?.end(kept);
    options.onRound?.(kept, addUp(rounds));
  }

  const rest = missing.values();
  const mistakes: string[] = [];
  const runAll = async (): Promise<void> => {
    for (const round of rest) {
      await run(round).catch((error: unknown) => {
        mistakes.push(
          `round ${round.seed} was not completed: ${error instanceof Error ? error.message : String(error)}`,
        );
      });
    }
  };
  await Promise.all(Array.from({ length: lanes }, runAll));
  return { ...addUp(rounds), mistakes };
}

function identityOf(options: RoundsOptions, code: string): TestIdentity {
  const { store, engine, seed, servers, liveRuns, leaseMs, settleMs, faultsPerRound, kinds } = options;
  const all = { store, engine, seed, faultsPerRound, servers, liveRuns, leaseMs, settleMs, code };
  return { ...all, kinds: kinds?.join() ?? 'all' };
}

function roundsOf({ faults, faultsPerRound, seed }: RoundsOptions): readonly WantedRound[] {
  return Array.from({ length: Math.ceil(faults / faultsPerRound) }, (_, round) => ({
    seed: seed + round,
    faults: Math.min(faultsPerRound, faults - round * faultsPerRound),
  }));
}

// Enough to find a cause. A test that fails in each round must not fill the disk.
function limitFolders(summary: RoundSummary, rounds: readonly RoundSummary[]): RoundSummary {
  if (rounds.flatMap(({ folders }) => folders).length < maxKeptFolders) return summary;
  for (const folder of summary.folders) rmSync(folder, { recursive: true, force: true });
  return { ...summary, folders: [] };
}
