/** Ends a check: prints what is wrong and fails the process, or prints one line that says what was looked at. */
export function finishCheck(problems: readonly string[], summary: string): void {
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error(`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`);
    process.exitCode = 1;
    return;
  }
  console.log(summary);
}
