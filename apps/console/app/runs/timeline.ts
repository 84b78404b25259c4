import type { Call, RunDetails } from '@ravi/api';
import type { RunStory } from '../api/run-story.ts';

/** A row of the waterfall. Times are milliseconds since the Unix epoch. */
export interface TimelineRow {
  readonly id: string;
  /** `chain` is a call that runs a script, `nested` a call of that script, `attempt` a process that ran the run. */
  readonly kind: 'attempt' | 'step' | 'call' | 'chain' | 'nested';
  readonly name: string;
  readonly depth: number;
  readonly status: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isRunning: boolean;
  readonly call?: Call;
  /** Tokens of a step. */
  readonly tokens?: number;
}

/** Rows of a run in the order of their start, each below the row it belongs to. */
export interface Timeline {
  readonly rows: readonly TimelineRow[];
  readonly startedAt: number;
  /** Never before `startedAt + 1`. */
  readonly endedAt: number;
}

/** Returns the steps, their calls, and the calls of scripts; those still running end at `now`. */
export function timelineOf(run: RunDetails, story: Pick<RunStory, 'steps' | 'calls'>, now: number): Timeline {
  const { steps } = story;
  const calls = callsOf(run, story).toSorted((left, right) => left.startedAt - right.startedAt);
  const byId = new Map(calls.map((call) => [keyOf(call), call]));
  const inside = Map.groupBy(calls, (call) => {
    const { parentId, parentRunId = call.runId } = call;
    if (parentId === undefined) return scriptAround(call, calls);
    return byId.get(keyOf({ callId: parentId, ...(parentRunId === run.id ? {} : { runId: parentRunId }) }));
  });
  const outer = inside.get(undefined) ?? [];
  const rowsOf = (call: Call, depth: number): readonly TimelineRow[] => {
    const inner = inside.get(call) ?? [];
    const row = callRow(call, { depth, now, hasCalls: inner.length > 0, isPaused: isWaiting(run) });
    return [row, ...inner.flatMap((each) => rowsOf(each, depth + 1))];
  };
  const first = steps[0];
  const before = first === undefined ? outer : outer.filter(({ startedAt }) => startedAt < first.startedAt);
  const rows = [
    ...attemptRows(run, now),
    ...before.flatMap((call) => rowsOf(call, 0)),
    ...steps.flatMap((step, index) => {
      const until = steps[index + 1]?.startedAt ?? Infinity;
      const own = outer.filter(({ startedAt }) => startedAt >= step.startedAt && startedAt < until);
      const { inputTokens = 0, outputTokens = 0 } = step.usage ?? {};
      const isRunning = step.durationMs === undefined && run.status === 'running';
      const row: TimelineRow = {
        id: `step-${step.step}-${index}`,
        kind: 'step',
        name: `Step ${step.step}`,
        depth: 0,
        status: isRunning ? 'running' : step.isCut === true ? 'interrupted' : 'ok',
        startedAt: step.startedAt,
        endedAt: step.durationMs === undefined ? now : step.startedAt + step.durationMs,
        isRunning,
        ...(step.usage === undefined ? {} : { tokens: inputTokens + outputTokens }),
      };
      return [row, ...own.flatMap((call) => rowsOf(call, 1))];
    }),
  ];
  const startedAt = Math.min(run.createdAt, ...rows.map((row) => row.startedAt));
  const end = run.status === 'running' || isWaiting(run) ? now : run.updatedAt;
  return { rows, startedAt, endedAt: Math.max(startedAt + 1, end, ...rows.map((row) => row.endedAt)) };
}

/** Returns a row for each process that ran the run if there were several: between two of them no process ran it. */
function attemptRows({ attempts = [], status }: RunDetails, now: number): readonly TimelineRow[] {
  if (attempts.length < 2) return [];
  return attempts.map(({ epoch, startedAt, endedAt, end }, index): TimelineRow => {
    const isRunning = endedAt === undefined && status === 'running';
    return {
      id: `attempt-${epoch}`,
      kind: 'attempt',
      name: `Attempt ${index + 1}`,
      depth: 0,
      status: isRunning ? 'running' : (end ?? 'paused'),
      startedAt,
      endedAt: endedAt ?? now,
      isRunning,
    };
  });
}

/** Returns the milliseconds during which no process ran a run that was not paused. */
export function downtimeOf({ attempts = [] }: Pick<RunDetails, 'attempts'>): number {
  let downtimeMs = 0;
  for (const [index, { startedAt }] of attempts.entries()) {
    const before = attempts[index - 1];
    if (before?.endedAt === undefined || before.end === 'paused') continue;
    downtimeMs += Math.max(0, startedAt - before.endedAt);
  }
  return downtimeMs;
}

// Models of two agents may choose the same id.
function keyOf({ callId, runId }: { readonly callId: string; readonly runId?: string | undefined }): string {
  return runId === undefined ? callId : `${runId} ${callId}`;
}

/** Merges what record and events say about each call; the record wins where both do. */
function callsOf({ trace = [] }: RunDetails, story: Pick<RunStory, 'calls'>): readonly Call[] {
  const recorded = trace.map((call) => (call.runId === undefined ? { ...story.calls[call.callId], ...call } : call));
  const ids = new Set(trace.map(keyOf));
  return [...recorded, ...Object.values(story.calls).filter(({ callId }) => !ids.has(callId))];
}

/** Returns the direct call during which a call of a script started, if the record has no parent id. */
function scriptAround(call: Call, calls: readonly Call[]): Call | undefined {
  if (call.caller !== 'chain') return undefined;
  return calls.findLast(
    (other) =>
      other.caller === 'direct' &&
      other.runId === call.runId &&
      other.startedAt <= call.startedAt &&
      (other.status === 'started' || other.startedAt + other.durationMs >= call.startedAt),
  );
}

interface CallRowOptions {
  readonly depth: number;
  readonly now: number;
  readonly hasCalls: boolean;
  readonly isPaused: boolean;
}

function callRow(call: Call, { depth, now, hasCalls, isPaused }: CallRowOptions): TimelineRow {
  const isRunning = call.status === 'started';
  const outerKind = hasCalls ? 'chain' : 'call';
  return {
    id: keyOf(call),
    kind: call.caller === 'chain' ? 'nested' : outerKind,
    name: call.tool,
    depth,
    status: statusOf(call, isPaused),
    startedAt: call.startedAt,
    endedAt: isRunning ? now : call.startedAt + call.durationMs,
    isRunning,
    call,
  };
}

function statusOf({ status }: Call, isPaused: boolean): string {
  if (status === 'started') return 'running';
  // A pause ends the calls in progress; they are repeated when the run resumes.
  return isPaused && status === 'cancelled' ? 'paused' : status;
}

function isWaiting({ status }: Pick<RunDetails, 'status'>): boolean {
  return status === 'paused' || status === 'blocked';
}
