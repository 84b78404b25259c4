import type { Violations } from './oracles.ts';
import type { KillTestResult } from './run-kill-test.ts';

/** Figures of one or more rounds of the kill test. */
export interface RoundSummary {
  /** Seeds of the rounds. */
  readonly seeds: readonly number[];
  /** Faults by kind. */
  readonly faults: Counts;
  readonly runs: Counts;
  readonly calls: Counts;
  readonly effects: number;
  readonly decisions: number;
  readonly readers: number;
  readonly connections: number;
  /** Stored events that readers received. */
  readonly events: number;
  readonly failedStarts: number;
  readonly slowEnds: number;
  readonly seconds: number;
  /** Violations by guarantee. */
  readonly violations: Violations;
  /** Problems of the test, which make its result worthless. */
  readonly mistakes: readonly string[];
  /** Folders of the rounds that violated a guarantee. */
  readonly folders: readonly string[];
}

type Counts = Readonly<Record<string, number>>;

/** Returns the figures of a round. */
export function summarize(seed: number, result: KillTestResult): RoundSummary {
  const { violations, mistakes, evidence, faults, failedStarts, slowEnds, seconds, folder } = result;
  const { runs, effects, decisions, readings } = evidence;
  const sum = (figure: (reading: (typeof readings)[number]) => number): number =>
    readings.reduce((all, reading) => all + figure(reading), 0);
  const summary = {
    seeds: [seed],
    faults: countBy(faults.map(({ kind }) => kind)),
    runs: countBy(runs.map(({ status }) => status)),
    calls: countBy(runs.flatMap(({ trace }) => trace.map(({ status }) => status))),
    effects: effects.length,
    decisions: decisions.length,
    readers: readings.length,
    connections: sum((reading) => reading.connections),
    events: sum(({ events }) => events.length),
    failedStarts,
    slowEnds,
    seconds,
    violations,
    mistakes,
  };
  return { ...summary, folders: isKept(summary) ? [] : [folder] };
}

/** Returns the figures of all rounds together. */
export function addUp(rounds: readonly RoundSummary[]): RoundSummary {
  const total = (figure: (round: RoundSummary) => number): number =>
    rounds.reduce((all, round) => all + figure(round), 0);
  return {
    seeds: rounds.flatMap(({ seeds }) => seeds),
    faults: addCounts(rounds.map(({ faults }) => faults)),
    runs: addCounts(rounds.map(({ runs }) => runs)),
    calls: addCounts(rounds.map(({ calls }) => calls)),
    effects: total(({ effects }) => effects),
    decisions: total(({ decisions }) => decisions),
    readers: total(({ readers }) => readers),
    connections: total(({ connections }) => connections),
    events: total(({ events }) => events),
    failedStarts: total(({ failedStarts }) => failedStarts),
    slowEnds: total(({ slowEnds }) => slowEnds),
    seconds: total(({ seconds }) => seconds),
    violations: Object.fromEntries(
      Object.keys(rounds[0]?.violations ?? {}).map((name) => [
        name,
        rounds.flatMap(({ violations }) => violations[name] ?? []),
      ]),
    ),
    mistakes: rounds.flatMap(({ mistakes }) => mistakes),
    folders: rounds.flatMap(({ folders }) => folders),
  };
}

/** Returns the number of all that is counted. */
export function totalOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Returns true if every guarantee was kept and the test itself worked. */
export function isKept({ violations, mistakes }: Pick<RoundSummary, 'violations' | 'mistakes'>): boolean {
  return mistakes.length === 0 && Object.values(violations).every(({ length }) => length === 0);
}

function countBy(names: readonly string[]): Counts {
  return addCounts(names.map((name) => ({ [name]: 1 })));
}

function addCounts(all: readonly Counts[]): Counts {
  const sums: Record<string, number> = {};
  for (const [name, count] of all.flatMap((counts) => Object.entries(counts))) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}
