import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { Sandbox } from '@ravi/kernel';
import { test } from 'vitest';
import { attack } from '../src/sandbox/hostile/attack.ts';
import { layBait } from '../src/sandbox/hostile/bait.ts';
import { javascriptDialect, pythonDialect } from '../src/sandbox/hostile/dialects/dialects.ts';
import type { HostileClass } from '../src/sandbox/hostile/hostile-case.ts';
import type { HostileDialect } from '../src/sandbox/hostile/hostile-dialect.ts';
import { recursion } from '../src/sandbox/hostile/classes/recursion.ts';
import { looks } from '../src/sandbox/hostile/python/looks.ts';
import { walks } from '../src/sandbox/hostile/python/walks.ts';
import { createNaiveSandbox } from './naive-sandbox.ts';

test('a naive sandbox fails at least twenty cases, and secrets come out of it', { timeout: 120_000 }, async () => {
  // Enough of the classes that escape to see whether the suite can; the others would only wait for the clock.
  const tried = javascriptDialect.classes.filter(({ kind }) => kind === 'escape');
  await leaksAtLeast(20, createNaiveSandbox('javascript'), javascriptDialect, tried, 6);
});

const python = spawnSync('python3', ['--version']).status === 0;

test.skipIf(!python)('a naive sandbox for Python fails at least twenty cases', { timeout: 120_000 }, async () => {
  // Those that only look: what the others do, a naive sandbox would do to this machine.
  await leaksAtLeast(20, createNaiveSandbox('python'), pythonDialect, [walks, looks], Infinity);
});

test('there are at least 250 cases in 14 classes, and no two of a class have one name', () => {
  const classes = [...javascriptDialect.classes, recursion];
  assert.equal(classes.length, 14);
  assert.ok(countDistinct(classes) >= 250);
});

test('there are at least 200 cases of Python in ten classes, and no two of a class have one name', () => {
  assert.equal(pythonDialect.classes.length, 10);
  assert.ok(countDistinct(pythonDialect.classes) >= 200);
});

async function leaksAtLeast(
  count: number,
  sandbox: Sandbox,
  dialect: HostileDialect,
  classes: readonly HostileClass[],
  casesOfClass: number,
): Promise<void> {
  await using bait = await layBait();
  const tried = classes.flatMap(({ cases }) => cases.slice(0, casesOfClass));
  const failed: string[] = [];
  for (const attempt of tried) {
    const findings = await attack({ ...attempt, limits: { wallTimeMs: 3_000 } }, { sandbox, bait, dialect });
    if (findings.some((finding) => finding.startsWith('a secret leaked'))) failed.push(attempt.name);
  }
  assert.ok(failed.length >= count, `${failed.length} of ${tried.length}: ${failed.join('; ')}`);
}

function countDistinct(classes: readonly HostileClass[]): number {
  for (const { name, cases } of classes) {
    assert.equal(new Set(cases.map((one) => one.name)).size, cases.length, name);
  }
  return classes.flatMap(({ cases }) => cases).length;
}
