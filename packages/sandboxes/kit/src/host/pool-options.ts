import type { JsonSchema } from '@ravi/kernel';

/** Options of a pool of processes. */
export interface PoolOptions {
  /** Number of unused processes that are kept ready. */
  readonly poolSize: number;
  /** Maximum number of processes, ready and busy; further runs queue. */
  readonly maxProcesses: number;
  /** Number of runs after which a process is replaced. */
  readonly maxRunsPerProcess: number;
}

/** Default options of a pool. */
export const defaultPoolOptions: PoolOptions = Object.freeze({ poolSize: 2, maxProcesses: 8, maxRunsPerProcess: 500 });

/** Options of a pool as properties of a configuration schema, with their defaults. */
export const poolProperties: Readonly<Record<keyof PoolOptions, JsonSchema>> = Object.freeze({
  poolSize: {
    type: 'integer',
    minimum: 0,
    default: defaultPoolOptions.poolSize,
    description: 'Number of unused processes that are kept ready.',
  },
  maxProcesses: {
    type: 'integer',
    minimum: 1,
    default: defaultPoolOptions.maxProcesses,
    description: 'Maximum number of processes, ready and busy; further runs queue.',
  },
  maxRunsPerProcess: {
    type: 'integer',
    minimum: 1,
    default: defaultPoolOptions.maxRunsPerProcess,
    description: 'Number of runs after which a process is replaced.',
  },
});
