import type { ContractTest, ContractTestContext } from '../src/index.ts';

/** Result of each test of a suite, by name. */
export type SuiteReport = Readonly<Record<string, 'passed' | 'failed' | 'skipped'>>;

/** Runs a suite without a test runner, to see how it judges an adapter. */
export async function runSuite(register: (test: ContractTest) => void): Promise<SuiteReport> {
  type Body = (context: ContractTestContext) => void | Promise<void>;
  const bodies = new Map<string, Body | undefined>();
  const test = (name: string, body: Body): void => void bodies.set(name, body);
  register(Object.assign(test, { skip: (name: string) => void bodies.set(name, undefined) }));

  const report: Record<string, SuiteReport[string]> = {};
  for (const [name, body] of bodies) {
    if (body === undefined) {
      report[name] = 'skipped';
      continue;
    }
    let isSkipped = false;
    const context = { skip: () => void (isSkipped = true) };
    const [outcome] = await Promise.allSettled([(async () => body(context))()]);
    report[name] = outcome.status === 'rejected' ? 'failed' : isSkipped ? 'skipped' : 'passed';
  }
  return report;
}

/** The names of the tests that failed. */
export function failuresOf(report: SuiteReport): readonly string[] {
  return Object.keys(report).filter((name) => report[name] === 'failed');
}
