import assert from 'node:assert/strict';
import type { DurableChainResult } from '@ravi/capabilities';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { Run } from '@ravi/kernel';
import { test } from 'vitest';
import { resultOfScript } from '../src/http/scripts/result-of-script.ts';

const result = { runId: 'run-1', status: 'ok', value: 7 } as unknown as DurableChainResult;
const row = { id: 'run-1', status: 'running', epoch: 1 } as unknown as Run;
const interrupted: Run = { ...row, owner: 'dead' };
const ended: Run = { ...row, status: 'completed', outcome: { result: 7 } };

/** Returns the services of a server whose store has these states of a run, one after the other, and a log of what it does. */
function createWorld(states: readonly (Run | undefined)[], isActive = false) {
  const log: string[] = [];
  const closing = new AbortController();
  let reads = 0;
  const services = {
    chains: { resume: async () => (log.push('resume'), result) },
    runs: { get: async () => (log.push('get'), states[Math.min(reads++, states.length - 1)]) },
    isActive: () => isActive,
    signal: new AbortController().signal,
    lifetime: closing.signal,
  };
  return { log, closing, services };
}

test('a repeated request leaves an interrupted script to run recovery, and returns its result', async () => {
  const { log, services } = createWorld([interrupted, interrupted, ended]);
  assert.equal(await resultOfScript('run-1', undefined, services), result);
  assert.deepEqual(log, ['get', 'get', 'get', 'resume']);
});

test('a request that cannot have the run of another server waits for its end, and does not resume it', async () => {
  const { log, services } = createWorld([interrupted, interrupted, ended]);
  const start = async (): Promise<DurableChainResult> => {
    throw new KernelError('E_STATE_CONFLICT', 'Run "run-1" already exists');
  };
  assert.equal(await resultOfScript('run-1', start, services), result);
  assert.deepEqual(log, ['get', 'get', 'get', 'resume']);
});

test('a script that this process executes, or that no process holds, does not wait', async () => {
  const active = createWorld([interrupted], true);
  assert.equal(await resultOfScript('run-1', undefined, active.services), result);
  assert.deepEqual(active.log, ['resume']);
  const released = createWorld([row]);
  assert.equal(await resultOfScript('run-1', undefined, released.services), result);
  assert.deepEqual(released.log, ['get', 'resume']);
});

test('a paused script is resumed at once, and one that is part of another run is refused', async () => {
  const paused = createWorld([{ ...interrupted, status: 'paused' }]);
  assert.equal(await resultOfScript('run-1', undefined, paused.services), result);
  assert.deepEqual(paused.log, ['get', 'resume']);
  const { services } = createWorld([{ ...interrupted, parentRunId: 'run-0' }]);
  const resume = (): Promise<DurableChainResult> => {
    throw new KernelError('E_STATE_CONFLICT', 'Run run-1 continues together with run run-0');
  };
  const refused = resultOfScript('run-1', undefined, { ...services, chains: { resume } });
  await assert.rejects(refused, /continues together with run run-0/);
});

test('a request that waits for another server ends when its own shuts down', async () => {
  const { closing, services } = createWorld([interrupted]);
  const waiting = resultOfScript('run-1', undefined, services);
  closing.abort();
  await assert.rejects(waiting, (error) => isKernelError(error, 'E_RUN_SUSPENDED'));
});
