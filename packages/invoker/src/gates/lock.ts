import { isLocalTool } from '@ravi/kernel';
import { emptyArray, errorText } from '@ravi/support';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopWithError } from '../error-results.ts';

/** Longest time of a timer, 24.8 days. */
const maxTimerMs = 2_147_483_647;

/**
 * Makes calls that may not run at the same time wait for each other; the wait does not count as execution time. A call inside
 * another one runs under the locks that the outer call holds.
 */
export function lockGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  const needed = lockKeys(pending);
  if (needed === undefined)
    return stopWithError('E_TOOL_FAILED', `The tool ${pending.name} failed in concurrency.keys`);
  const keys = pending.locksFor(needed);
  if (keys.length === 0) return pending;
  const release = pending.runtime.locks.tryAcquire(keys);
  if (release === undefined) return waitFor(keys, pending);
  pending.release = release;
  return pending;
}

async function waitFor(keys: readonly string[], pending: PendingCall): Promise<PendingCall> {
  const { clock, locks } = pending.runtime;
  // The holder may have only background timers left, and a program must not end while its call waits.
  const keepAlive = clock.setTimer(() => {}, maxTimerMs);
  try {
    pending.release = await locks.acquire(keys, pending.cancellation);
    return pending;
  } finally {
    keepAlive.cancel();
  }
}

function lockKeys(pending: PendingCall): readonly string[] | undefined {
  const { tool, args, runtime } = pending;
  const concurrency = isLocalTool(tool) ? tool.concurrency : undefined;
  if (concurrency === undefined || concurrency === 'parallel') return emptyArray;
  if (concurrency === 'exclusive') return ['exclusive'];
  try {
    return concurrency.keys(args).map(keyOf);
  } catch (error) {
    runtime.logger.error('keys of a tool failed', { tool: tool.name, error: errorText(error) });
    return undefined;
  }
}

function keyOf(key: unknown): string {
  if (typeof key !== 'string') throw new TypeError(`concurrency.keys must return strings, not ${typeof key}`);
  return `key:${key}`;
}
