import type { Outcome } from './outcome.ts';

/** More files than this fail for a reason that a second run does not remove. */
const maxFiles = 8;

/** Outcomes of a run whose failed files ran a second time. */
export interface RepeatedRun {
  readonly outcomes: readonly Outcome[];
  /** Tests that failed in the whole run and passed in the second one. */
  readonly unstable: readonly Outcome[];
}

/**
 * Runs the files of failed tests once more, without others. A test that passes then counts as passed and is unstable; one that fails
 * again, or does not run again, keeps its failure. Nothing is repeated if more than 8 files failed, or an error belongs to no file.
 */
export async function repeatFailed(
  outcomes: readonly Outcome[],
  run: (files: readonly string[]) => Promise<readonly Outcome[]>,
): Promise<RepeatedRun> {
  const failed = outcomes.filter(({ status }) => status === 'failed');
  const files = [...new Set(failed.map(({ file }) => file))];
  if (files.length === 0 || files.length > maxFiles || files.includes('')) return { outcomes, unstable: [] };
  const again = await run(files);
  const hasFailedAgain = again.some(({ status, file }) => status === 'failed' && file === '');
  const passed = new Set(again.filter(({ status }) => status === 'passed').map(keyOf));
  const isUnstable = (outcome: Outcome): boolean =>
    outcome.status === 'failed' && !hasFailedAgain && passed.has(keyOf(outcome));
  const unstable = outcomes.filter(isUnstable);
  const kept = outcomes.map((outcome) => (isUnstable(outcome) ? asPassed(outcome) : outcome));
  const known = new Set(kept.map(keyOf));
  // A file that could not be collected the first time has tests only now.
  const late = again.filter((outcome) => !known.has(keyOf(outcome)) || isNewFailure(outcome, kept));
  return { outcomes: [...kept, ...late], unstable };
}

/** One line for each unstable test, with the error of its first run. */
export function unstableLines(unstable: readonly Outcome[]): string[] {
  return unstable.map(
    ({ file, name, error = '' }) =>
      `UNSTABLE ${file}: ${name}: failed, then passed in a run of its file alone: ${error.split('\n', 1)[0]?.slice(0, 200)}`,
  );
}

function keyOf({ file, name }: Outcome): string {
  return `${file}\0${name}`;
}

function isNewFailure(outcome: Outcome, kept: readonly Outcome[]): boolean {
  if (outcome.status !== 'failed') return false;
  return !kept.some((other) => other.status === 'failed' && keyOf(other) === keyOf(outcome));
}

function asPassed({ runner, file, name }: Outcome): Outcome {
  return { runner, file, name, status: 'passed' };
}
