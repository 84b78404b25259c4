import type { Cancellation } from '@ravi/invoker/internal';
import { KernelError } from '@ravi/kernel';
/** Bounds of a {@link Supervision}. */
export interface SupervisionOptions {
  /** Sub-agents that may be started in all; 16 when absent. */
  readonly maxAgents?: number;
  /** How deep they may stand under the first agent; 3 when absent. */
  readonly maxDepth?: number;
  /** Answers that may be written at once; 8 when absent. */
  readonly maxConcurrent?: number;
}

interface Waiting {
  readonly priority: number;
  readonly start: () => void;
}

/**
 * Bounds the agents that share it: how many are started, how deep, and how many models write at once. Only the writing
 * takes a place, never the waiting for a sub-agent nor what middleware does before and after, so agents cannot block each
 * other however deep they stand. Of those that wait the highest priority goes first, then the oldest.
 */
export class Supervision {
  readonly #maxAgents: number;
  readonly #maxDepth: number;
  readonly #maxConcurrent: number;
  readonly #waiting: Waiting[] = [];
  #agents = 0;
  #writing = 0;

  /** @throws KernelError `E_CONFIG_INVALID` for a bound below 1 */
  constructor({ maxAgents = 16, maxDepth = 3, maxConcurrent = 8 }: SupervisionOptions = {}) {
    for (const [field, value] of Object.entries({ maxAgents, maxDepth, maxConcurrent })) {
      if (Number.isSafeInteger(value) && value >= 1) continue;
      throw new KernelError('E_CONFIG_INVALID', `supervision.${field} must be a positive whole number, got ${value}`);
    }
    this.#maxAgents = maxAgents;
    this.#maxDepth = maxDepth;
    this.#maxConcurrent = maxConcurrent;
  }

  /** Sub-agents started so far. */
  get agents(): number {
    return this.#agents;
  }

  /** Takes one sub-agent from the budget. @throws KernelError `E_BUDGET_EXHAUSTED` */
  admit(depth: number): void {
    if (depth > this.#maxDepth) {
      throw new KernelError('E_BUDGET_EXHAUSTED', `Agents may stand ${this.#maxDepth} deep (maxDepth) and no deeper`);
    }
    if (this.#agents >= this.#maxAgents) {
      throw new KernelError('E_BUDGET_EXHAUSTED', `The budget of ${this.#maxAgents} sub-agents (maxAgents) is used up`);
    }
    this.#agents++;
  }

  /** Waits for a place to write; the returned function gives it back. @throws KernelError `E_CANCELLED` */
  async enter(priority: number, cancellation: Cancellation): Promise<() => void> {
    cancellation.check();
    if (this.#writing >= this.#maxConcurrent) await this.#wait(priority, cancellation);
    else this.#writing++;
    return () => this.#leave();
  }

  // Who leaves hands the place to who waits, so that nobody slips in between.
  #wait(priority: number, cancellation: Cancellation): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        priority,
        start: () => {
          unsubscribe();
          resolve();
        },
      };
      const unsubscribe = cancellation.onCancel(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(cancellation.error);
      });
      const after = this.#waiting.findIndex((other) => other.priority < priority);
      this.#waiting.splice(after === -1 ? this.#waiting.length : after, 0, waiting);
    });
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#writing--;
    else next.start();
  }
}
