/** How one test ended, whichever runner ran it. */
export interface Outcome {
  /** `vitest`, `node --test` or `example`. */
  readonly runner: string;
  /** Path of the test file from the root of the repository. */
  readonly file: string;
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Why it was skipped, where the test says so. */
  readonly reason?: string;
}

/** The closing line of a test run: `N passed, N failed`, and `, N skipped` when there are any. */
export function closingLine(outcomes: readonly Outcome[]): string {
  const count = (status: Outcome['status']): number => outcomes.filter((outcome) => outcome.status === status).length;
  const skipped = count('skipped');
  return `${count('passed')} passed, ${count('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** One line for each distinct skipped test, with its reason when it has one. */
export function skipLines(outcomes: readonly Outcome[]): string[] {
  const lines = outcomes
    .filter((outcome) => outcome.status === 'skipped')
    .map(({ file, name, reason }) => `skipped ${file}: ${name}${reason ? ` (${reason})` : ''}`);
  return [...new Set(lines)];
}
