import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSpecification } from 'vitest/node';

import { failureLines } from './outcome.ts';
import { outcomeOf } from './vitest-outcome.ts';

const everyMs = 30_000;
const maxNamed = 3;
const slowestNamed = 20;

/**
 * Reporter that prints every 30 seconds how many test files have ended and which are running, and each failure when it
 * happens. A run that is cut off has then named its failures and the file that hangs. A whole run ends with its slowest files.
 */
export function createProgressReporter(root: string, print: (line: string) => void = console.log): Reporter {
  const running = new Set<string>();
  const minutesOf = new Map<string, number>();
  const startedAt = performance.now();
  let total = 0;
  let ended = 0;
  let timer: NodeJS.Timeout | undefined;

  function report(): void {
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    const names = [...running].slice(0, maxNamed).join(', ');
    print(`${ended} of ${total} test files after ${minutes} min; running: ${names || 'none'}`);
  }

  return {
    onTestRunStart(files: readonly TestSpecification[]) {
      total = files.length;
      timer = setInterval(report, everyMs).unref();
    },
    onTestModuleQueued({ moduleId }: TestModule) {
      running.add(relative(root, moduleId));
    },
    onTestCaseResult(test: TestCase) {
      if (test.result().state !== 'failed') return;
      for (const line of failureLines([outcomeOf(root, test)])) print(line);
    },
    onTestModuleEnd(module: TestModule) {
      const name = relative(root, module.moduleId);
      running.delete(name);
      minutesOf.set(name, module.diagnostic().duration / 60_000);
      ended++;
    },
    onTestRunEnd() {
      clearInterval(timer);
      if (total <= slowestNamed) return;
      const slowest = [...minutesOf].toSorted(([, left], [, right]) => right - left).slice(0, slowestNamed);
      print(`slowest files: ${slowest.map(([name, minutes]) => `${name} ${minutes.toFixed(1)} min`).join(', ')}`);
    },
  };
}
