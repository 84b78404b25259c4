import assert from 'node:assert/strict';
import type { RunEngine, RunWake, RunWorker } from '@ravi/kernel';
import type { ContractTest, ContractTestContext } from '@ravi/testkit';
import { runEngineContract } from '@ravi/testkit/run-engine';
import { test } from 'vitest';
import { createMemoryRunEngine } from '../src/index.ts';

type Break = (engine: RunEngine) => Partial<RunEngine>;

/** Runs the suite against a broken engine and returns the names of the failed cases. */
async function failuresOf(breakEngine: Break): Promise<string[]> {
  const failed: string[] = [];
  const running: Promise<void>[] = [];
  const register = (name: string, body: (context: ContractTestContext) => void | Promise<void>): void => {
    running.push(Promise.resolve(body({ skip: () => {} })).catch(() => void failed.push(name)));
  };
  const collect: ContractTest = Object.assign(register, { skip: () => {} });
  runEngineContract(
    collect,
    (settings) => {
      const engine = createMemoryRunEngine(settings);
      return { ...engine, ...breakEngine(engine) };
    },
    { waitMs: 4_000 },
  );
  await Promise.all(running);
  return failed;
}

/** Changes every wake on its way into the engine. */
function changing(change: (wake: RunWake) => RunWake): Break {
  return (engine) => ({ wake: (wakes, options) => engine.wake(wakes.map(change), options) });
}

/** Changes every worker on its way into the engine. */
function working(change: (worker: RunWorker) => RunWorker): Break {
  return (engine) => ({ work: (worker) => engine.work(change(worker)) });
}

let wakes = 0;

const breakages: readonly (readonly [string, Break, RegExp])[] = [
  [
    'wakes that are not merged',
    changing((wake) => ({ ...wake, runId: wake.runId === 'run-1' ? `run-1-${(wakes += 1)}` : wake.runId })),
    /are one/,
  ],
  ['a time that is ignored', changing(({ notBefore: _notBefore, ...wake }) => wake), /not before its time/],
  ['a priority that is ignored', changing(({ priority: _priority, ...wake }) => wake), /highest priority/],
  ['one group for everybody', changing((wake) => ({ ...wake, group: 'all' })), /does not delay the 10 of another/],
  ['a version that is ignored', changing((wake) => ({ ...wake, version: 'v1' })), /only runs of its versions/],
  ['slots that are ignored', working((worker) => ({ ...worker, slots: 100 })), /no more handlers/],
  [
    'failures that are taken for success',
    working((worker) => ({
      ...worker,
      handle: (wake, options) => worker.handle(wake, options).catch(() => ({ status: 'done' })),
    })),
    /after the last attempt/,
  ],
  [
    'another look that is forgotten',
    working((worker) => ({
      ...worker,
      handle: async (wake, options) => {
        await worker.handle(wake, options);
        return { status: 'done' };
      },
    })),
    /asks for another look/,
  ],
  ['signals that are lost', () => ({ signal: async () => {} }), /every worker receives a signal/],
  ['a takeover that is ignored', (engine) => ({ wake: (given) => engine.wake(given) }), /takes the run away/],
  [
    'a transaction that is ignored',
    (engine) => ({ wake: (given, { within: _within, ...options } = {}) => engine.wake(given, options) }),
    /cannot join are not supported/,
  ],
  [
    'an engine that forgets wakes of a run that is being handled',
    (engine) => {
      const busy = new Set<string>();
      return {
        wake: (given, options) =>
          engine.wake(
            given.filter(({ runId }) => !busy.has(runId)),
            options,
          ),
        work: (worker) =>
          engine.work({
            ...worker,
            async handle(wake, options) {
              busy.add(wake.runId);
              return worker.handle(wake, options).finally(() => busy.delete(wake.runId));
            },
          }),
      };
    },
    /is delivered after that/,
  ],
  [
    'figures that are always zero',
    () => ({ figures: async () => ({ ready: 0, delayed: 0, taken: 0, dead: 0, groups: [] }) }),
    /figures count/,
  ],
];

test('the suite passes for a correct engine', async () => {
  assert.deepEqual(await failuresOf(() => ({})), []);
});

test('the suite catches every defect', async () => {
  const failures = await Promise.all(breakages.map(([, breakEngine]) => failuresOf(breakEngine)));
  for (const [index, [what, , expected]] of breakages.entries()) {
    assert.match(failures[index]?.join('\n') ?? '', expected, what);
  }
});
