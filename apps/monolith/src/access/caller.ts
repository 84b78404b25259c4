import type { Principal } from '@ravi/kernel';

/** What somebody may do: start runs and call tools, decide everybody's approvals, see and change everything. */
export type Role = 'run' | 'approve' | 'admin';

/** Who sends a request. */
export interface Caller {
  readonly principal: Principal;
  readonly roles: readonly Role[];
}

/** Everybody on this machine, where no tokens are configured. */
export const localCaller: Caller = Object.freeze({ principal: 'local', roles: ['run', 'approve', 'admin'] as const });

/** Whether something of `principal` is there for the caller. */
export function maySee({ principal: own, roles }: Caller, principal: Principal): boolean {
  return own === principal || roles.includes('admin');
}
