import type { RunDetails as ApiRunDetails } from '@ravi/api';
import type { ChainCallRecord, ChainRunResult, JsonObject, ModelUsage, Run } from '@ravi/kernel';
import type { RunEvent } from './run-event.ts';
import { traceOf } from './run-trace.ts';

/** A run with everything that its events report; artifacts by their refs, in the order in which they were stored. */
export interface RunDetails extends Omit<ApiRunDetails, 'artifacts' | 'pendingApprovals'> {
  readonly artifactRefs: readonly string[];
}

const bytesPerToken = 4;

/** Returns a run with the details from its events. */
export function runDetails(run: Run, events: readonly RunEvent[]): RunDetails {
  const ended = events.findLast(({ type }) => type === 'run-ended')?.data;
  const result = run.definition.kind === 'chain' ? (run.outcome?.result as ChainRunResult | undefined) : undefined;
  const own = result?.callTrace ?? (ended?.['trace'] as readonly ChainCallRecord[] | undefined) ?? [];
  const trace = traceOf(own, events, { isOver: run.outcome !== undefined });
  const cost = costOf(ofType(events, 'usage'));
  const task = ofType(events, 'run').find(({ task: given }) => given !== undefined)?.['task'];
  const error = result?.error ?? ended?.['error'] ?? run.outcome?.error;
  const { code: script } = run.definition;
  const asked = run.status === 'paused' ? ofType(events, 'run').at(-1)?.['questions'] : undefined;
  return {
    ...run,
    trace,
    steps: ofType(events, 'step').filter(({ status }) => status === 'started').length,
    usage: sumUsage(ofType(events, 'usage')),
    ...(cost === undefined ? {} : { cost }),
    plainConversationTokens: plainTokens(trace),
    logs: (result?.logs ?? ofType(events, 'console')) as unknown as RunDetails['logs'],
    artifactRefs: artifactRefs(events),
    questions: (asked ?? []) as unknown as RunDetails['questions'],
    ...(typeof task === 'string' ? { task } : {}),
    ...(script === undefined ? {} : { script }),
    ...(error === undefined ? {} : { error: error as unknown as NonNullable<RunDetails['error']> }),
  };
}

/** Returns the references of all artifact events, in order. */
export function artifactRefs(events: readonly RunEvent[]): readonly string[] {
  return ofType(events, 'artifact').map(({ ref }) => ref as string);
}

function ofType(events: readonly RunEvent[], type: RunEvent['type']): readonly JsonObject[] {
  return events.filter((event) => event.type === type).map(({ data }) => data);
}

function sumUsage(parts: readonly JsonObject[]): ModelUsage {
  let [inputTokens, outputTokens] = [0, 0];
  for (const part of parts) {
    inputTokens += Number(part['inputTokens'] ?? 0);
    outputTokens += Number(part['outputTokens'] ?? 0);
  }
  return { inputTokens, outputTokens };
}

function costOf(parts: readonly JsonObject[]): number | undefined {
  let total = 0;
  for (const { cost } of parts) {
    if (typeof cost !== 'number') return undefined;
    total += cost;
  }
  return parts.length === 0 ? undefined : total;
}

// In a conversation each result is sent again with every later call.
function plainTokens(trace: readonly ChainCallRecord[]): number {
  let conversation = 0;
  let total = 0;
  for (const { bytes = 0, argsPreview } of trace) {
    conversation += Math.ceil((bytes + argsPreview.length) / bytesPerToken);
    total += conversation;
  }
  return total;
}
