import type { Role } from '@ravi/api';
import type { Principal, Run, RunStore } from '@ravi/kernel';
import { localPrincipal } from '../../access/tool-access.ts';
import { problem } from '../core/problem.ts';

/** Sender of a request. */
export interface Caller {
  readonly principal: Principal;
  readonly roles: readonly Role[];
}

/** Caller of every request if no access tokens are configured. */
export const localCaller: Caller = Object.freeze({
  principal: localPrincipal,
  roles: ['run', 'approve', 'admin'] as const,
});

/** True if the caller may see what belongs to `principal`. */
export function maySee({ principal: own, roles }: Caller, principal: Principal): boolean {
  return own === principal || roles.includes('admin');
}

/**
 * Returns a run that the caller may see.
 * @throws KernelError `E_RUN_NOT_FOUND`, also for a run of another principal
 */
export async function findRun(runs: RunStore, { caller }: { readonly caller: Caller }, runId: string): Promise<Run> {
  const run = await runs.get(runId);
  if (run === undefined || !maySee(caller, run.principal))
    throw problem('E_RUN_NOT_FOUND', `There is no run "${runId}"`);
  return run;
}
