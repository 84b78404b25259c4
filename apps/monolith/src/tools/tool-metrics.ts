import type { HookManager } from '@ravi/invoker';
import { createToolLabel } from '@ravi/support';

/** Metrics of a tool in this process. Times are milliseconds. */
export interface ToolFigures {
  readonly calls: number;
  readonly p50: number;
  readonly p95: number;
  readonly errors: number;
  readonly denials: number;
}

/** Counts the calls of every tool. */
export interface ToolMetrics {
  of(tool: string): ToolFigures;
  all(): ReadonlyMap<string, ToolFigures>;
}

interface Counted {
  calls: number;
  errors: number;
  denials: number;
  /** Durations of the latest calls. */
  readonly durations: number[];
}

const maxDurations = 1_000;

/**
 * Counts every call that ends from now on, in the process that records its outcome; calls of tools that do not exist together. A call of a
 * run that pauses is counted when it ends. Percentiles cover the last 1 000 calls of a tool.
 */
export function createToolMetrics(hooks: HookManager): ToolMetrics {
  const tools = new Map<string, Counted>();
  const labelOf = createToolLabel();
  hooks.observe('tool-result', ({ tool, status, durationMs, errorCode, wasRecorded, isSuspended }) => {
    if (wasRecorded === true || isSuspended === true) return;
    const label = labelOf(tool, errorCode);
    let counted = tools.get(label);
    if (counted === undefined) {
      counted = { calls: 0, errors: 0, denials: 0, durations: [] };
      tools.set(label, counted);
    }
    counted.durations[counted.calls % maxDurations] = durationMs;
    counted.calls++;
    if (status === 'denied') counted.denials++;
    else if (status !== 'ok') counted.errors++;
  });
  const of = (tool: string): ToolFigures => figures(tools.get(tool));
  return { of, all: () => new Map([...tools.keys()].map((tool) => [tool, of(tool)])) };
}

function figures(counted: Counted | undefined): ToolFigures {
  const { calls = 0, errors = 0, denials = 0, durations = [] } = counted ?? {};
  const sorted = durations.toSorted((left, right) => left - right);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { calls, errors, denials, p50: at(0.5), p95: at(0.95) };
}
