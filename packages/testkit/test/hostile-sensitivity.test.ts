import assert from 'node:assert/strict';
import { test } from 'vitest';
import { attack } from '../src/hostile/attack.ts';
import { layBait } from '../src/hostile/bait.ts';
import type { HostileCase } from '../src/hostile/hostile-case.ts';
import { recursion } from '../src/hostile/classes/recursion.ts';
import { sandboxClasses } from '../src/hostile/hostile-classes.ts';
import { createNaiveSandbox } from './naive-sandbox.ts';

/** Enough of the classes that escape to see whether the suite can; the others would only wait for the clock. */
const tried: readonly HostileCase[] = sandboxClasses
  .filter(({ kind }) => kind === 'escape')
  .flatMap(({ cases }) => cases.slice(0, 6));

test('a naive sandbox fails at least twenty cases, and secrets come out of it', { timeout: 120_000 }, async () => {
  await using bait = await layBait();
  const sandbox = createNaiveSandbox();
  const failed: string[] = [];
  for (const attempt of tried) {
    const scene = { sandbox, bait, processes: () => [] };
    const findings = await attack({ ...attempt, limits: { wallTimeMs: 3_000 } }, scene);
    if (findings.some((finding) => finding.startsWith('a secret came out'))) failed.push(attempt.name);
  }
  assert.ok(failed.length >= 20, `${failed.length} of ${tried.length}: ${failed.join('; ')}`);
});

test('there are at least 250 cases in 14 classes, and no two of a class have one name', () => {
  const classes = [...sandboxClasses, recursion];
  assert.equal(classes.length, 14);
  assert.ok(classes.flatMap(({ cases }) => cases).length >= 250);
  for (const { name, cases } of classes) {
    assert.equal(new Set(cases.map((one) => one.name)).size, cases.length, name);
  }
});
