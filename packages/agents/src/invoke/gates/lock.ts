import { isLocalTool } from '@ravi/kernel';
import type { Tool } from '@ravi/kernel';
import type { GateOutcome, PendingCall } from '../pending-call.ts';

/** Gate 6a: calls that may not run together wait for each other here; the time counts as nobody's execution. */
export function lockGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  const { tool } = pending;
  const keys = isLocalTool(tool) ? lockKeys(tool, pending) : [];
  const release = pending.runtime.locks.tryAcquire(keys);
  if (release === undefined) return waitFor(keys, pending);
  pending.release = release;
  return pending;
}

async function waitFor(keys: readonly string[], pending: PendingCall): Promise<PendingCall> {
  pending.release = await pending.runtime.locks.acquire(keys, pending.cancellation);
  return pending;
}

function lockKeys(tool: Tool, pending: PendingCall): readonly string[] {
  const { concurrency } = tool;
  if (concurrency === undefined || concurrency === 'parallel') return [];
  if (concurrency === 'exclusive') return ['exclusive'];
  return concurrency.keys(pending.args).map((key) => `key:${key}`);
}
