import type { Role } from '@ravi/api';
import type { Principal } from '@ravi/kernel';

/** Sender of a request. */
export interface Caller {
  readonly principal: Principal;
  readonly roles: readonly Role[];
}

/** Caller of every request if no access tokens are configured. */
export const localCaller: Caller = Object.freeze({ principal: 'local', roles: ['run', 'approve', 'admin'] as const });

/** True if the caller may see what belongs to `principal`. */
export function maySee({ principal: own, roles }: Caller, principal: Principal): boolean {
  return own === principal || roles.includes('admin');
}
