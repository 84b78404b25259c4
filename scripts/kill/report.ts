import { isKept, totalOf } from './round-summary.ts';
import type { RoundSummary } from './round-summary.ts';

const shownExamples = 5;

/** Returns the report of a kill test, a line for each figure. */
export function reportOf(title: string, summary: RoundSummary): readonly string[] {
  const { faults, runs, calls, effects, decisions, readers, connections, events, seconds } = summary;
  const count = totalOf(faults);
  const kinds = Object.entries(faults).map(([kind, number]) => `${number} ${kind}`);
  const lines = [
    `${title}: ${count} faults (${kinds.join(', ')}) in ${summary.seeds.length} rounds that took ${seconds} s, ${((60 * count) / Math.max(1, seconds)).toFixed(1)} faults per minute and lane`,
    `${totalOf(runs)} runs, ${effects} effects, ${decisions} decisions, ${readers} readers with ${connections} connections and ${events} stored events`,
    `runs by status: ${JSON.stringify(runs)}; calls by status: ${JSON.stringify(calls)}`,
    `starts that failed: ${summary.failedStarts}; ends by SIGTERM that took over 40 s: ${summary.slowEnds}`,
  ];
  for (const [guarantee, found] of Object.entries(summary.violations)) {
    lines.push(`${String(found.length).padStart(6)}  ${guarantee}`);
    for (const example of found.slice(0, shownExamples)) lines.push(`          ${example}`);
  }
  for (const mistake of summary.mistakes.slice(0, shownExamples)) lines.push(`MISTAKE OF THE TEST ${mistake}`);
  if (!isKept(summary))
    lines.push(`The servers' logs, their data and evidence.json are in ${summary.folders.join(', ')}`);
  return lines;
}
