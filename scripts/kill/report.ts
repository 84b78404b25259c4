import type { KillTestResult } from './run-kill-test.ts';

const shownExamples = 5;

/** Returns the report of a kill test, a line for each figure. */
export function reportOf(store: string, result: KillTestResult): readonly string[] {
  const { violations, evidence, faults, mistakes, failedStarts, slowEnds, seconds, folder } = result;
  const { runs, effects, decisions, readings } = evidence;
  const kinds = Object.entries(countBy(faults.map(({ kind }) => kind))).map(([kind, count]) => `${count} ${kind}`);
  const connections = readings.reduce((sum, reading) => sum + reading.connections, 0);
  const received = readings.reduce((sum, { events }) => sum + events.length, 0);
  const lines = [
    `${store}: ${faults.length} faults in ${seconds} s (${kinds.join(', ')})`,
    `${runs.length} runs, ${effects.length} effects, ${decisions.length} decisions, ${readings.length} readers with ${connections} connections and ${received} stored events`,
    `runs by status: ${JSON.stringify(countBy(runs.map(({ status }) => status)))}; calls by status: ${JSON.stringify(countBy(runs.flatMap(({ trace }) => trace.map(({ status }) => status))))}`,
    `starts that failed: ${failedStarts}; ends by SIGTERM that took over 40 s: ${slowEnds}`,
  ];
  for (const [guarantee, found] of Object.entries(violations)) {
    lines.push(`${String(found.length).padStart(6)}  ${guarantee}`);
    for (const example of found.slice(0, shownExamples)) lines.push(`          ${example}`);
  }
  for (const mistake of mistakes.slice(0, shownExamples)) lines.push(`MISTAKE OF THE TEST ${mistake}`);
  if (!isKept(result)) lines.push(`The servers' logs, their data and evidence.json are in ${folder}`);
  return lines;
}

/** Returns true if every guarantee was kept and the test itself worked. */
export function isKept({ violations, mistakes }: KillTestResult): boolean {
  return mistakes.length === 0 && Object.values(violations).every(({ length }) => length === 0);
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
