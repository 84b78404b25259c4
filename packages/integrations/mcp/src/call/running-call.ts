import { AsyncLocalStorage } from 'node:async_hooks';
import type { ToolContext } from '@ravi/kernel';
import type { CallClock } from './call-clock.ts';

/** Call that a server works on. */
export interface RunningCall {
  readonly context: ToolContext;
  readonly clock: CallClock;
  /** Questions that the server has asked during the call. */
  questions: number;
  /** Requests to a model that the server has made during the call. */
  samplings: number;
}

/** Calls of one connection that have no answer yet. */
export class RunningCalls {
  readonly #calls = new Set<RunningCall>();
  readonly #related = new AsyncLocalStorage<RunningCall>();

  /** Runs a call. Requests that arrive on its own stream are related to it. */
  async run<Value>(call: RunningCall, work: () => Promise<Value>): Promise<Value> {
    this.#calls.add(call);
    try {
      return await this.#related.run(call, work);
    } finally {
      this.#calls.delete(call);
    }
  }

  /**
   * Returns the call that a request of the server belongs to: the one whose stream it arrived on, or the only one that runs. With
   * several of one session it is the oldest; `undefined` if it may belong to another caller.
   */
  relatedCall(): RunningCall | undefined {
    const related = this.#related.getStore();
    if (related !== undefined && this.#calls.has(related)) return related;
    const [first, ...others] = this.#calls;
    const isOfFirst = (call: RunningCall): boolean =>
      call.context.sessionId === first?.context.sessionId && call.context.principal === first.context.principal;
    return others.every(isOfFirst) ? first : undefined;
  }
}
