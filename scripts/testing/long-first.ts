import { matchesGlob, relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

import { dayOfSample } from '../../packages/testkit/src/environment/samples.ts';
import { isFileOfDay } from './file-sample.ts';
import { slowFiles } from './test-plan.ts';

/** Files of minutes, the longest first. */
const longest: readonly string[] = [
  'scripts/test/kill-test.test.ts',
  'apps/monolith/test/{bytes-per-call,parked-approvals,repeated-requests}.test.ts',
  'packages/capabilities/test/{agent-crash/agent-crash,chain/durable/crash}.test.ts',
  'packages/sandboxes/*/test/{*hostile,containers}.test.ts',
  'scripts/test/{restart-test,scale-test,load-test,programs,new-adapter}.test.ts',
];

/**
 * Starts long test files first, so that all workers end at about the same time. Without it a fresh clone starts large files first, and
 * the longest tests are among the smallest files.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const sorted = await super.sort(await this.#ofToday(files));
    const rankOf = ({ moduleId }: TestSpecification): number => rank(relative(root, moduleId));
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right));
  }

  // With the variable, a run of all files leaves some to the next day.
  async #ofToday(files: TestSpecification[]): Promise<TestSpecification[]> {
    if (process.env['RAVI_TEST_SAMPLE'] !== '1') return files;
    const day = dayOfSample();
    const { root } = this.ctx.config;
    const kept = files.filter(({ moduleId }) => isFileOfDay(relative(root, moduleId), day));
    const left = files.length - kept.length;
    if (left > 0) {
      console.log(
        `${left} test files are left to the next day; "npm test -- --long" runs each file, and RAVI_TEST_DAY=${day} repeats this sample`,
      );
    }
    return kept;
  }
}

/** Returns the place of a test file in the order of a run: the lower, the earlier. */
export function rank(file: string): number {
  const place = longest.findIndex((pattern) => matchesGlob(file, pattern));
  if (place >= 0) return place;
  return slowFiles.some((pattern) => matchesGlob(file, pattern)) ? longest.length : longest.length + 1;
}
