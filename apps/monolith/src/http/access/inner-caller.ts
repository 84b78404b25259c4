import type { Context } from 'hono';
import type { Caller } from './caller.ts';

const key = Symbol('caller of an inner request');

/**
 * Returns the environment of a request that another part of this process makes for a caller that it has recognised and counted. A
 * request from a socket cannot have it.
 */
export function innerEnvironment(caller: Caller): object {
  return { [key]: caller };
}

/** Returns the caller of an inner request; `undefined` for a request from outside. */
export function innerCaller({ env }: Pick<Context, 'env'>): Caller | undefined {
  return ((env ?? {}) as { readonly [key]?: Caller })[key];
}
