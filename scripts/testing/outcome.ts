/** Outcome of one test, of any runner. */
export interface Outcome {
  /** `vitest`, `node --test` or `example`. */
  readonly runner: string;
  /** Path of the test file from the root of the repository. */
  readonly file: string;
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Reason of a skip, where the test states one. */
  readonly reason?: string;
  /** Error that a failed test threw. */
  readonly error?: string;
}

const longestError = 1_000;

/** The closing line of a test run: `N passed, N failed`, and `, N skipped` when there are any. */
export function closingLine(outcomes: readonly Outcome[]): string {
  const count = (status: Outcome['status']): number => outcomes.filter((outcome) => outcome.status === status).length;
  const skipped = count('skipped');
  return `${count('passed')} passed, ${count('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Each failed test by its file and name, with the beginning of what it threw below it. */
export function failureLines(outcomes: readonly Outcome[]): string[] {
  return outcomes
    .filter(({ status }) => status === 'failed')
    .flatMap(({ runner, file, name, error }) => [
      `FAILED (${runner}) ${file}: ${name}`,
      ...(error
        ?.trim()
        .slice(0, longestError)
        .split('\n')
        .map((line) => `    ${line}`) ?? []),
    ]);
}

/** One line for each file and reason of skipped tests, with their number, or with the name of a single one. */
export function skipLines(outcomes: readonly Outcome[]): string[] {
  const skipped = outcomes.filter((outcome) => outcome.status === 'skipped');
  const groups = Map.groupBy(skipped, (outcome) => `${outcome.runner} ${outcome.file}: ${reasonOf(outcome)}`);
  return [...groups].map(([title, group]) => {
    const what = group.length === 1 ? `"${group[0]?.name}"` : `${group.length} tests`;
    return `skipped ${what} of ${title}`;
  });
}

/** Suites that run under every runner can say their reason only in the name, in parentheses at its end. */
function reasonOf({ name, reason }: Outcome): string {
  return reason ?? /\(([^()]*)\)$/.exec(name)?.[1] ?? 'no reason given';
}
