import { engineUnavailable } from '@ravi/engine-kit';
import type { RunSignal } from '@ravi/kernel';
import { connect, HttpCallError, rpc } from '@restatedev/restate-sdk-clients';
import type { VirtualObjectDefinition } from '@restatedev/restate-sdk';
import type { ListenRequest, SyncReply, SyncRequest, WakeReply, WakeRequest } from './queue-protocol.ts';
import { reasonOf } from './restate-server.ts';
import type { RestateServerOptions } from './restate-server.ts';
import { queueKey } from './wake-queue.ts';
import type { DeadRequest, WakeQueueHandlers } from './wake-queue.ts';

/** Requests to the queue. They reject with `E_ENGINE_UNAVAILABLE`, which is retryable; the request may have been executed then. */
export interface QueueClient {
  wake(request: WakeRequest): Promise<WakeReply>;
  sync(request: SyncRequest): Promise<SyncReply>;
  signal(signal: RunSignal): Promise<void>;
  retryDead(request: DeadRequest): Promise<boolean>;
  removeDead(request: DeadRequest): Promise<boolean>;
  /** Resolves when there is news for a worker, or after the time. Rejects when the signal aborts. */
  listen(request: ListenRequest, signal: AbortSignal): Promise<void>;
  /** Resolves when a process executes requests. */
  ping(): Promise<void>;
}

/** Creates a client. */
export function createQueueClient(
  queue: VirtualObjectDefinition<string, WakeQueueHandlers>,
  { ingressUrl, apiKey, timeoutMs }: RestateServerOptions,
): QueueClient {
  const url = ingressUrl.replace(/\/+$/, '');
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const object = connect({ url, headers }).objectClient<WakeQueueHandlers>({ name: queue.name }, queueKey);

  async function call<Reply>(limitMs: number, send: (timeout: number) => PromiseLike<Reply>): Promise<Reply> {
    try {
      return await send(limitMs);
    } catch (error) {
      throw unavailable(error, limitMs);
    }
  }

  function unavailable(error: unknown, limitMs: number): Error {
    if (error instanceof HttpCallError) {
      return engineUnavailable(`Restate at ${url} refused a request (${error.status}): ${error.responseText}`, error);
    }
    if (error instanceof Error && error.name === 'TimeoutError') {
      return engineUnavailable(`Restate at ${url} gave no reply within ${limitMs} ms`, error);
    }
    return engineUnavailable(`Restate at ${url} cannot be reached: ${reasonOf(error)}`, error);
  }

  return {
    wake: (request) => call(timeoutMs, (timeout) => object.wake(request, rpc.opts({ timeout }))),
    sync: (request) => call(timeoutMs, (timeout) => object.sync(request, rpc.opts({ timeout }))),
    signal: (signal) => call(timeoutMs, (timeout) => object.signal(signal, rpc.opts({ timeout }))),
    retryDead: (request) => call(timeoutMs, (timeout) => object.retryDead(request, rpc.opts({ timeout }))),
    removeDead: (request) => call(timeoutMs, (timeout) => object.removeDead(request, rpc.opts({ timeout }))),
    listen: (request, signal) =>
      call(timeoutMs + request.waitMs, (timeout) => {
        const either = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
        return object.listen(request, rpc.opts({ signal: either }));
      }),
    ping: () => call(timeoutMs, (timeout) => object.ping(rpc.opts({ timeout }))),
  };
}
