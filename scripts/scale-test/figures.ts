import type { EngineName } from '../lib/postgres.ts';
import { percentile } from '../load-test/figures.ts';

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
  /** Runs of each kind that are cancelled. */
  readonly cancels: number;
  /** Times that the owner of a run is stopped. */
  readonly handovers: number;
  /** Requests for approval that are pending, and the number that theirs is compared with. */
  readonly pendingApprovals: number;
  readonly fewPendingApprovals: number;
  /** Requests that are made next to them, and lists of each kind that are read. */
  readonly asks: number;
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

/** Returns a figure that must be 0. */
export function none(name: string, value: number): ScaleResult {
  return { name, value, isReached: value === 0, goal: '0' };
}

/** Returns a figure that must be the total. */
export function all(name: string, value: number, total: number): ScaleResult {
  return { name, value, isReached: value === total, goal: `all ${total}` };
}

const maxSlope = 0.1;

/** Returns how many per cent more statements a server sends with many things than with few, which must be as many. */
export function sameStatements(name: string, few: number, many: number): ScaleResult {
  const slope = many / few - 1;
  return { name, value: slope * 100, isReached: Math.abs(slope) <= maxSlope, goal: '0 ± 10' };
}

/** Returns the p50, p99 and longest of times. With a most, the longest must not exceed it. */
export function figuresOfTimes(name: string, times: readonly number[], mostMs?: number): readonly ScaleResult[] {
  const sorted = Float64Array.from(times).sort();
  const longest = sorted.at(-1) ?? 0;
  const goal = mostMs === undefined ? {} : { isReached: longest <= mostMs, goal: `${mostMs} ms` };
  return [
    { name: `${name}, p50 ms`, value: percentile(sorted, 0.5) },
    { name: `${name}, p99 ms`, value: percentile(sorted, 0.99) },
    { name: `${name}, longest, ms`, value: longest, ...goal },
  ];
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
