import type { JsonSchema } from '@ravi/kernel';

/** Options of a pool of processes. */
export interface PoolOptions {
  /** Number of unused processes that are kept ready. */
  readonly poolSize: number;
  /** Maximum number of processes, ready and busy; further runs queue. One principal never uses the last of several. */
  readonly maxProcesses: number;
  /** Maximum number of processes in addition whose scripts wait for a person. */
  readonly maxParked: number;
  /** Number of runs after which a process is replaced. */
  readonly maxRunsPerProcess: number;
}

/** Default options of a pool. */
export const defaultPoolOptions: PoolOptions = Object.freeze({
  poolSize: 2,
  maxProcesses: 8,
  maxParked: 32,
  maxRunsPerProcess: 500,
});

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
    description:
      'Maximum number of processes, ready and busy; further runs queue. One principal never uses the last of several.',
  },
  maxParked: {
    type: 'integer',
    minimum: 0,
    default: defaultPoolOptions.maxParked,
    description: 'Maximum number of processes in addition whose scripts wait for a person.',
  },
  maxRunsPerProcess: {
    type: 'integer',
    minimum: 1,
    default: defaultPoolOptions.maxRunsPerProcess,
    description: 'Number of runs after which a process is replaced.',
  },
});
