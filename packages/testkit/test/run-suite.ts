import type { ContractTest } from '../src/index.ts';

/** What became of the tests of a suite, by their names. */
export type SuiteReport = Readonly<Record<string, 'passed' | 'failed' | 'skipped'>>;

/** Runs a suite by itself, to see how it judges an adapter. */
export async function runSuite(register: (test: ContractTest) => void): Promise<SuiteReport> {
  const bodies = new Map<string, (() => void | Promise<void>) | undefined>();
  const test = (name: string, body: () => void | Promise<void>): void => void bodies.set(name, body);
  register(Object.assign(test, { skip: (name: string) => void bodies.set(name, undefined) }));

  const report: Record<string, SuiteReport[string]> = {};
  for (const [name, body] of bodies) {
    if (body === undefined) {
      report[name] = 'skipped';
      continue;
    }
    const [outcome] = await Promise.allSettled([(async () => body())()]);
    report[name] = outcome.status === 'fulfilled' ? 'passed' : 'failed';
  }
  return report;
}

/** The names of the tests that failed. */
export function failuresOf(report: SuiteReport): readonly string[] {
  return Object.keys(report).filter((name) => report[name] === 'failed');
}
