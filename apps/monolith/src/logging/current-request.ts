import { AsyncLocalStorage } from 'node:async_hooks';

/** Facts about a request that are known before it is handled. */
export interface RequestFacts {
  readonly requestId: string;
}

/**
 * Request that the running code works for. Reliable where a run begins, but not in code that a sandbox process triggers:
 * that belongs to the request that started the process. Use the ids of run and call there.
 */
export const currentRequest: AsyncLocalStorage<RequestFacts> = new AsyncLocalStorage();
