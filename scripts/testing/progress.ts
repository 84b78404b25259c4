import { relative } from 'node:path';
import type { Reporter, TestModule, TestSpecification } from 'vitest/node';

const everyMs = 30_000;
const maxNamed = 3;

/** Reporter that prints every 30 seconds how many test files have ended and which are running, so that a file that hangs has a name. */
export function createProgressReporter(root: string, print: (line: string) => void = console.log): Reporter {
  const running = new Set<string>();
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
    onTestModuleEnd({ moduleId }: TestModule) {
      running.delete(relative(root, moduleId));
      ended++;
    },
    onTestRunEnd() {
      clearInterval(timer);
    },
  };
}
