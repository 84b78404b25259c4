import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of a request before anything is done about it. */
export interface RequestFacts {
  readonly requestId: string;
}

/**
 * The request that the running code works for. Right where a run begins; not in what a sandbox's process sets off,
 * which follows the request that started the process: there the ids of run and call say where something belongs.
 */
export const currentRequest: AsyncLocalStorage<RequestFacts> = new AsyncLocalStorage();
