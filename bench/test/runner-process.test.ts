import { ok, rejects, strictEqual } from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { hostLag } from '../src/sandboxes/measures.ts';
import { openRunnerProcess } from '../src/sandboxes/runner-process.ts';
import type { ScriptRunner } from '../src/sandboxes/script-runner.ts';
import { scriptSubjects, subjectOf, transferSubjects } from '../src/sandboxes/subjects.ts';
import type { Subject } from '../src/sandboxes/subjects.ts';

const fragile = fileURLToPath(new URL('./fixtures/fragile-child.ts', import.meta.url));
const subject = (name: string): Subject => ({ name, unit: 'ms', measure: async () => 0 });

test('a runner measures in its own process', async () => {
  await using runner = openRunnerProcess('Ravi');
  const [first] = scriptSubjects;
  ok(first !== undefined && (await runner.contender(first).measure()) > 0);
  await rejects(runner.contender(subject('unheard of')).measure(), /There is no subject unheard of/);
});

test('a runner whose process dies fails with the reason, and the next measurement starts another', async () => {
  await using runner = openRunnerProcess('Ravi', fragile);
  strictEqual(await runner.contender(subject('little')).measure(), 7);
  await rejects(runner.contender(subject('too much')).measure(), /died: RangeError: that was too much/);
  strictEqual(await runner.contender(subject('little')).measure(), 7);
});

test('every subject can be found by its name', () => {
  for (const one of [...scriptSubjects, ...transferSubjects]) strictEqual(subjectOf(one.name), one);
});

test('a script that blocks the event loop of the host is detected', async () => {
  const stalling: ScriptRunner = {
    name: 'stalling',
    reference: (tool) => tool,
    async run() {
      const end = Date.now() + 50;
      while (Date.now() < end);
      return true;
    },
    async [Symbol.asyncDispose]() {},
  };
  ok((await hostLag(stalling)) > 40);
});
