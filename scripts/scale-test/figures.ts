import type { EngineName } from '../lib/postgres.ts';

/** Amounts of work of the scale test. */
export interface ScaleSizes {
  /** Length of each measurement of a rate. */
  readonly seconds: number;
  /** Requests that expire at once. */
  readonly expiries: number;
  /** Servers that have nothing to do. */
  readonly servers: number;
  /** Runs that wait for approval, and the number that theirs is compared with. */
  readonly parkedRuns: number;
  readonly fewParkedRuns: number;
  /** Time for idle servers to read all paused runs, and length of the measurement after it. */
  readonly settleSeconds: number;
  readonly idleSeconds: number;
  /** Scripts that are executed while servers are killed, and the calls of each. */
  readonly runs: number;
  readonly calls: number;
  /** Sandbox processes of each of their servers: scripts that it executes at once. */
  readonly processes: number;
  /** Time for which two servers are frozen, or do not reach the database, and for which the database is stopped. */
  readonly freezeSeconds: number;
  readonly cutSeconds: number;
  readonly downSeconds: number;
  /** Steps of the agent whose events are read. */
  readonly steps: number;
  /** Steps of a run whose bytes are compared. */
  readonly earlyStep: number;
  readonly lateStep: number;
  /** Runs of one principal that begin before those of another one, and the slots of a server for agents. */
  readonly queuedRuns: number;
  readonly slots: number;
  /** Parked runs during a deploy. */
  readonly deployRuns: number;
  /** Time that a snapshot is held, and how often that is measured. */
  readonly heldSeconds: number;
  readonly rounds: number;
  /** Agents that work on each server of a cell, their steps, and the time in which its servers do nothing before. */
  readonly agents: number;
  readonly agentSteps: number;
  readonly restSeconds: number;
  /** Runs that are removed. */
  readonly oldRuns: number;
}

/** Options of the scale test. */
export interface ScaleOptions extends ScaleSizes {
  /** Engine of the servers. */
  readonly engine: EngineName;
}

/** Figure of the scale test. */
export interface ScaleResult {
  readonly name: string;
  readonly value: number;
  /** Absent for a figure without a goal. */
  readonly isReached?: boolean;
  readonly goal?: string;
}

/** Prints the heading of a table of figures. */
export function printHeading(): void {
  console.log('| figure | measured | goal | reached |\n| --- | ---: | --- | --- |');
}

/** Prints one row for each figure. Returns how many goals were missed. */
export function printFigures(results: readonly ScaleResult[]): number {
  for (const { name, value, goal = '', isReached } of results) {
    const reached = isReached === undefined ? '' : isReached ? 'yes' : 'no';
    console.log(`| ${name} | ${value.toFixed(1)} | ${goal} | ${reached} |`);
  }
  return results.filter(({ isReached }) => isReached === false).length;
}
