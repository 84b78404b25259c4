import type { Cancellation } from '@ravi/invoker/internal';
import { KernelError } from '@ravi/kernel';

/** Limits of a {@link Supervision}. */
export interface SupervisionOptions {
  /** Number of sub-agents that may be started; default 16. In total, or with `countsPerRun` by each outermost run and those below it. */
  readonly maxAgents?: number;
  /** True if each outermost run has its own count of sub-agents, as on a server. It begins again when another process continues the run. */
  readonly countsPerRun?: boolean;
  /** Maximum nesting depth under the first agent; default 3. */
  readonly maxDepth?: number;
  /** Maximum number of models that write at the same time; default 8. */
  readonly maxConcurrent?: number;
}

interface Waiting {
  readonly priority: number;
  readonly start: () => void;
}

/**
 * Limits the agents that share it: their number, their nesting depth, and the number of models that write at the same time.
 * Only a model that is writing takes a place. Waiting for a sub-agent and the work of middleware take none, so agents cannot
 * block each other at any depth. The highest priority goes first, then the oldest request.
 */
export class Supervision {
  readonly #maxAgents: number;
  readonly #maxDepth: number;
  readonly #countsPerRun: boolean;
  /** Shared with the supervisions of the runs. */
  readonly #places: WritingPlaces;
  #agents = 0;

  /** @throws KernelError `E_CONFIG_INVALID` for a bound below 1 */
  constructor(options: SupervisionOptions = {}, places?: WritingPlaces) {
    const { maxAgents = 16, maxDepth = 3, maxConcurrent = 8, countsPerRun = false } = options;
    for (const [field, value] of Object.entries({ maxAgents, maxDepth, maxConcurrent })) {
      if (Number.isSafeInteger(value) && value >= 1) continue;
      throw new KernelError('E_CONFIG_INVALID', `supervision.${field} must be a positive whole number, got ${value}`);
    }
    this.#maxAgents = maxAgents;
    this.#maxDepth = maxDepth;
    this.#countsPerRun = countsPerRun;
    this.#places = places ?? new WritingPlaces(maxConcurrent);
  }

  /** Returns the supervision of one outermost run: this one, or with `countsPerRun` one with its own count. */
  forRun(): Supervision {
    if (!this.#countsPerRun) return this;
    return new Supervision({ maxAgents: this.#maxAgents, maxDepth: this.#maxDepth }, this.#places);
  }

  /** Number of sub-agents started so far. */
  get agents(): number {
    return this.#agents;
  }

  /** Counts one sub-agent. @throws KernelError `E_BUDGET_EXHAUSTED` if a limit is reached */
  admit(depth: number): void {
    if (depth > this.#maxDepth) {
      throw new KernelError(
        'E_BUDGET_EXHAUSTED',
        `Sub-agents may be nested at most ${this.#maxDepth} levels deep (maxDepth)`,
      );
    }
    if (this.#agents >= this.#maxAgents) {
      throw new KernelError('E_BUDGET_EXHAUSTED', `The budget of ${this.#maxAgents} sub-agents (maxAgents) is used up`);
    }
    this.#agents++;
  }

  /** Waits for a place to write and returns the function that releases it. @throws KernelError `E_CANCELLED` */
  enter(priority: number, cancellation: Cancellation): Promise<() => void> {
    return this.#places.enter(priority, cancellation);
  }
}

/** Places of the models that write at the same time. */
class WritingPlaces {
  readonly #max: number;
  readonly #waiting: Waiting[] = [];
  #writing = 0;

  constructor(max: number) {
    this.#max = max;
  }

  async enter(priority: number, cancellation: Cancellation): Promise<() => void> {
    cancellation.check();
    if (this.#writing >= this.#max) await this.#wait(priority, cancellation);
    else this.#writing++;
    return () => this.#leave();
  }

  // A released place goes to the next in line directly, so that no new request gets ahead.
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
