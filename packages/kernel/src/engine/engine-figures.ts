import type { RunWake } from './run-engine.ts';

/** Numbers of one group of runs. */
export interface EngineGroupFigures {
  readonly group: string;
  /** Wakes that are due and that no worker has taken. */
  readonly ready: number;
  /** Wakes that are being handled. */
  readonly taken: number;
}

/** Load of an engine at a moment, over all processes that share it. */
export interface EngineFigures {
  /** Wakes that are due and that no worker has taken. */
  readonly ready: number;
  /** Wakes that are not due yet. */
  readonly delayed: number;
  /** Wakes that are being handled. */
  readonly taken: number;
  /** Wakes that were given up. */
  readonly dead: number;
  /** Milliseconds that the oldest ready wake has waited since it was due; absent if none is ready. */
  readonly oldestReadyMs?: number;
  /** At most 20 groups, those with the most ready and taken wakes first. */
  readonly groups: readonly EngineGroupFigures[];
}

/** Wake that was given up, because every attempt to handle it failed. */
export interface DeadWake {
  readonly wake: RunWake;
  /** Message of the last failure, at most 2 000 characters. */
  readonly error: string;
  /** Number of failed attempts. */
  readonly attempts: number;
  /** Milliseconds since the Unix epoch. */
  readonly diedAt: number;
}
