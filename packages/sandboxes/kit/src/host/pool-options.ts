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

/** Returns the options of a pool as properties of a configuration schema, with their defaults. */
export function poolPropertiesWith(defaults: PoolOptions): Readonly<Record<keyof PoolOptions, JsonSchema>> {
  return Object.freeze({
    poolSize: {
      type: 'integer',
      minimum: 0,
      default: defaults.poolSize,
      description: 'Number of unused processes that are kept ready.',
    },
    maxProcesses: {
      type: 'integer',
      minimum: 1,
      default: defaults.maxProcesses,
      description:
        'Maximum number of processes, ready and busy; further runs queue. One principal never uses the last of several.',
    },
    maxParked: {
      type: 'integer',
      minimum: 0,
      default: defaults.maxParked,
      description: 'Maximum number of processes in addition whose scripts wait for a person.',
    },
    maxRunsPerProcess: {
      type: 'integer',
      minimum: 1,
      default: defaults.maxRunsPerProcess,
      description: 'Number of runs after which a process is replaced.',
    },
  });
}

/** The options of a pool as properties of a configuration schema, with the defaults of the kit. */
export const poolProperties: Readonly<Record<keyof PoolOptions, JsonSchema>> = poolPropertiesWith(defaultPoolOptions);
