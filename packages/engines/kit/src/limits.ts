import type { Clock, JsonSchema, Logger } from '@ravi/kernel';
import { defaultMaxAttempts } from './failures.ts';
import { checkInteger } from './wakes.ts';

/** Options of every engine. */
export interface CommonEngineOptions {
  /** Maximum runs of one group that are handled at once, in all processes that share the engine; no limit by default. The same for every process. */
  readonly groupLimit?: number;
  /** Failed attempts after which a wake is dead; 20 by default. */
  readonly maxAttempts?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Source of the random part of delays; from 0 to 1. */
  readonly random?: () => number;
}

const bounds = { groupLimit: [1, 100_000], maxAttempts: [1, 1_000] } as const;

/** Limits of {@link CommonEngineOptions} as properties of a configuration schema. */
export const limitProperties: Readonly<Record<keyof typeof bounds, JsonSchema>> = {
  groupLimit: {
    type: 'integer',
    minimum: bounds.groupLimit[0],
    maximum: bounds.groupLimit[1],
    description:
      'Maximum runs of one principal that are handled at once by all servers, the same in each. Default: no limit.',
  },
  maxAttempts: {
    type: 'integer',
    minimum: bounds.maxAttempts[0],
    maximum: bounds.maxAttempts[1],
    default: defaultMaxAttempts,
    description: 'Failed attempts after which a wake is given up.',
  },
};

/** Checks the limits of an engine. @throws KernelError `E_ARGUMENTS_INVALID` for one out of bounds */
export function checkLimits({ groupLimit, maxAttempts }: Pick<CommonEngineOptions, keyof typeof bounds>): void {
  if (maxAttempts !== undefined) checkInteger('maxAttempts', maxAttempts, ...bounds.maxAttempts);
  if (groupLimit !== undefined) checkInteger('groupLimit', groupLimit, ...bounds.groupLimit);
}
