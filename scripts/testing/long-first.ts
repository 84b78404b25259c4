import { matchesGlob, relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

import { slowFiles } from './test-plan.ts';

/** Files of minutes, the longest first. */
const longest: readonly string[] = [
  'scripts/test/kill-test.test.ts',
  'apps/monolith/test/{bytes-per-call,parked-approvals,repeated-requests}.test.ts',
  'packages/capabilities/test/{agent-crash/agent-crash,chain/durable/crash}.test.ts',
  'packages/sandboxes/*/test/{*hostile,containers}.test.ts',
  'scripts/test/{restart-test,load-test,programs,new-adapter}.test.ts',
];

/**
 * Starts long test files first, so that all workers end at about the same time. Without it a fresh clone starts large files first, and
 * the longest tests are among the smallest files.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { root } = this.ctx.config;
    const rankOf = ({ moduleId }: TestSpecification): number => rank(relative(root, moduleId));
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right));
  }
}

/** Returns the place of a test file in the order of a run: the lower, the earlier. */
export function rank(file: string): number {
  const place = longest.findIndex((pattern) => matchesGlob(file, pattern));
  if (place >= 0) return place;
  return slowFiles.some((pattern) => matchesGlob(file, pattern)) ? longest.length : longest.length + 1;
}
