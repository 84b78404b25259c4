import type { Page, PageRequest } from '../base/page.ts';

/** Process that says that it lives. */
export interface NewProcess {
  /** Unique to each start of a process. */
  readonly id: string;
  /** Milliseconds without a heartbeat after which the process counts as dead. */
  readonly deadAfterMs: number;
  /** Address at which other processes reach it, such as `http://10.0.0.7:7341`. */
  readonly address?: string;
  /** Version of the program. */
  readonly version?: string;
}

/** Process as stored. Times are milliseconds since the Unix epoch, by the clock of the store. */
export interface ProcessRecord extends NewProcess {
  /**
   * 1, and one more each time that the process came back after it had counted as dead. Others may have taken its runs before each
   * new epoch.
   */
  readonly epoch: number;
  readonly startedAt: number;
  readonly heartbeatAt: number;
  /** False from `heartbeatAt + deadAfterMs` on: other processes may claim its runs. */
  readonly isAlive: boolean;
}

/**
 * Stores which processes live, so that one small write every few seconds keeps any number of runs. Only the clock of the store counts,
 * so that the clocks of processes do not matter.
 */
export interface ProcessStore {
  /**
   * Adds a process, alive from now on, or changes the address, version and `deadAfterMs` of the one with this id, which counts as a
   * heartbeat.
   * @throws KernelError `E_STATE_INVALID` for a `deadAfterMs` that is not a whole number from 1 to 86 400 000, or a text out of bounds
   */
  register(process: NewProcess): Promise<ProcessRecord>;
  /**
   * Says that a process lives, and returns its epoch, which is a new one if it had counted as dead. Returns `undefined` if it has no
   * record: it was removed, and has to register again. When the promise resolves, no claim of its runs by another process is under
   * way, so a later answer of `RunStore.listHeld` lacks every run that it lost. No other process takes one until it counts as dead again.
   */
  beat(id: string): Promise<number | undefined>;
  /** Returns processes, alive and dead, the oldest start first. */
  list(page?: PageRequest): Promise<Page<ProcessRecord>>;
  /**
   * Removes a process that has ended, so that its running runs can be claimed at once; they keep their owner until then. Returns
   * `false` if it has no record.
   */
  remove(id: string): Promise<boolean>;
  /** Removes processes that counted as dead already `deadForMs` ago and own no run. Returns their number. */
  removeDead(deadForMs: number): Promise<number>;
}
