import type { JsonSchema } from '@ravi/kernel';

/** Limits of triggers. Times are milliseconds. */
export interface TriggerConfig {
  /** Active triggers of one principal. */
  readonly maxPerPrincipal: number;
  /** Shortest time between two runs of one trigger. */
  readonly minIntervalMs: number;
  /** Days ahead that the first due time of a trigger may be. */
  readonly maxAheadDays: number;
  /** Time after which a due time counts as missed. */
  readonly missedAfterMs: number;
  /** Runs that the policy `all` starts for missed due times. */
  readonly maxMissedRuns: number;
  /** Time for which a run that cannot start now is tried again. */
  readonly retryForMs: number;
}

const count: JsonSchema = { type: 'integer', minimum: 1 };

/** Key of a configuration about triggers. */
export const triggerProperties: Readonly<Record<string, JsonSchema>> = {
  triggers: {
    type: 'object',
    additionalProperties: false,
    default: {},
    description: 'Limits of timers, schedules and watched channels, which start runs of agents.',
    properties: {
      maxPerPrincipal: { ...count, default: 100, description: 'Active triggers of one principal.' },
      minIntervalMs: {
        type: 'integer',
        minimum: 1_000,
        default: 60_000,
        description: 'Shortest time between two runs of one trigger.',
      },
      maxAheadDays: {
        ...count,
        maximum: 3_660,
        default: 366,
        description: 'Days ahead that the first due time of a new trigger may be.',
      },
      missedAfterMs: {
        ...count,
        default: 60_000,
        description:
          'A due time that no server saw within this time counts as missed; "misfire" of the trigger applies.',
      },
      maxMissedRuns: {
        ...count,
        maximum: 100,
        default: 10,
        description: 'Runs that a trigger with "misfire": "all" starts for missed due times. It skips the others.',
      },
      retryForMs: {
        ...count,
        default: 3_600_000,
        description:
          'Time for which the start of a run is tried again, for example while its conversation is busy or a budget is used up.',
      },
    },
  },
};
