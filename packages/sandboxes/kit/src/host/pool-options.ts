import type { JsonSchema } from '@ravi/kernel';

/** How many processes a pool keeps. */
export interface PoolOptions {
  /** Processes kept ready that nobody has used yet. */
  readonly poolSize: number;
  /** Processes at once, ready and busy ones together; further runs queue. */
  readonly maxProcesses: number;
  /** Runs after which a process is replaced. */
  readonly maxRunsPerProcess: number;
}

/** The options of a pool where nothing else is said. */
export const defaultPoolOptions: PoolOptions = Object.freeze({ poolSize: 2, maxProcesses: 8, maxRunsPerProcess: 500 });

/** The options of a pool as properties of a configuration schema, with the defaults. */
export const poolProperties: Readonly<Record<keyof PoolOptions, JsonSchema>> = Object.freeze({
  poolSize: {
    type: 'integer',
    minimum: 0,
    default: defaultPoolOptions.poolSize,
    description: 'Processes kept ready that nobody has used yet.',
  },
  maxProcesses: {
    type: 'integer',
    minimum: 1,
    default: defaultPoolOptions.maxProcesses,
    description: 'Processes at once, ready and busy ones together; further runs queue.',
  },
  maxRunsPerProcess: {
    type: 'integer',
    minimum: 1,
    default: defaultPoolOptions.maxRunsPerProcess,
    description: 'Runs after which a process is replaced.',
  },
});
