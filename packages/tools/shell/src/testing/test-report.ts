/** Test that failed. */
export interface TestFailure {
  readonly name: string;
  readonly message: string;
  /** Path relative to the workspace, if the runner names one. */
  readonly file?: string;
  readonly line?: number;
}

/** Result of a test run, as its runner reports it. */
export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly TestFailure[];
}

const maxMessage = 2000;
const maxName = 500;

/** Makes a failure of values that another program wrote: paths below `root` become relative, long texts are cut. */
export function failureOf(
  root: string,
  {
    name,
    message,
    file,
    line,
  }: { readonly name: unknown; readonly message: unknown; readonly file?: unknown; readonly line?: unknown },
): TestFailure {
  const path = typeof file === 'string' ? withoutRoot(root, file) : undefined;
  return {
    name: cut(withoutRoot(root, textOf(name)), maxName),
    message: cut(withoutRoot(root, textOf(message)), maxMessage),
    ...(path === undefined || path === '' ? {} : { file: path }),
    ...(typeof line === 'number' && Number.isSafeInteger(line) && line > 0 ? { line } : {}),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(/\u001B\[[0-9;]*m/gu, '') : '';
}

function withoutRoot(root: string, text: string): string {
  return text.replaceAll(`file://${root}/`, '').replaceAll(`${root}/`, '');
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}… [${text.length} characters]` : text;
}

/** Reads lines of JSON that a report of ours has; a line that another program broke is left out. */
function readLines(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text.split('\n').flatMap((line) => {
    const value = parseJson(line);
    return isRecord(value) ? [value] : [];
  });
}

/** Parses JSON; `undefined` if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns true for an object that is not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Counts and collects the tests of a report in lines: `status` is `passed`, `failed` or `skipped`. */
export function reportOfLines(root: string, text: string): TestReport | undefined {
  const lines = readLines(text);
  if (lines.length === 0) return undefined;
  const count = (status: string): number => lines.filter((line) => line['status'] === status).length;
  const failures = lines
    .filter((line) => line['status'] === 'failed')
    .map((line) =>
      failureOf(root, { name: line['name'], message: line['message'], file: line['file'], line: line['line'] }),
    );
  return { passed: count('passed'), failed: failures.length, skipped: count('skipped'), failures };
}
