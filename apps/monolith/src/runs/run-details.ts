import type { RecordedEvent, RecordedEventData, RecordedEventType, RunDetails as ApiRunDetails } from '@ravi/api';
import type { ChainCallRecord, ChainRunResult, ModelUsage, Run } from '@ravi/kernel';
import { attemptsOf } from './run-attempts.ts';
import { traceOf } from './run-trace.ts';
import type { RunRecord } from './stored-events.ts';

/** A run with everything that its record says; artifacts by their refs, its own before those of its sub-agents. */
export interface RunDetails extends Omit<
  ApiRunDetails,
  'artifacts' | 'children' | 'inputs' | 'pendingApprovals' | 'completions'
> {
  readonly artifactRefs: readonly string[];
  /** Ids of the inputs that the run has read. */
  readonly inputsRead: ReadonlySet<string>;
}

const bytesPerToken = 4;

/** Returns a run with the details from its record. */
export function runDetails(run: Run, record: RunRecord): RunDetails {
  const { events } = record;
  const isOver = run.outcome !== undefined;
  const ended = dataOf(events, 'run-end').at(-1);
  const result = run.definition.kind === 'chain' ? (run.outcome?.result as ChainRunResult | undefined) : undefined;
  const trace = traceOf(record, { isOver });
  const responses = dataOf(events, 'model-end');
  const cost = costOf(responses);
  // The process may end before the first event is stored.
  const task = dataOf(events, 'run-start').find((start) => start.task !== undefined)?.task ?? taskOf(run);
  const pause = run.status === 'paused' || run.status === 'blocked' ? dataOf(events, 'run-paused').at(-1) : undefined;
  const error = result?.error ?? ended?.error ?? run.outcome?.error ?? pause?.error;
  const { code: script } = run.definition;
  return {
    ...run,
    trace,
    attempts: attemptsOf(events, { isOver }),
    steps: new Set(dataOf(events, 'step-start').map(({ step }) => step)).size,
    usage: sumUsage(responses),
    ...(cost === undefined ? {} : { cost }),
    plainConversationTokens: plainTokens(trace),
    logs: result?.logs ?? dataOf(events, 'console'),
    artifactRefs: allArtifactRefs(record),
    inputsRead: readInputIds(record),
    questions: pause?.questions ?? [],
    ...(task === undefined ? {} : { task }),
    ...(script === undefined ? {} : { script }),
    ...(error === undefined ? {} : { error }),
  };
}

function taskOf({ definition: { kind, details } }: Run): string | undefined {
  const task = details?.['task'];
  return kind === 'agent' && typeof task === 'string' ? task : undefined;
}

/** Returns the ids of the inputs that a run has read. */
export function readInputIds({ events }: Pick<RunRecord, 'events'>): ReadonlySet<string> {
  return new Set(dataOf(events, 'run-input').map(({ inputId }) => inputId));
}

/** Returns the references of the artifacts of a run and of its sub-agents. */
export function allArtifactRefs({ events, subAgents }: RunRecord): readonly string[] {
  return [...artifactRefs(events), ...subAgents.flatMap(allArtifactRefs)];
}

/** Returns the references of all artifact events, in order. */
export function artifactRefs(events: readonly RecordedEvent[]): readonly string[] {
  return dataOf(events, 'artifact').map(({ ref }) => ref);
}

function dataOf<Type extends RecordedEventType>(
  events: readonly RecordedEvent[],
  type: Type,
): readonly RecordedEventData[Type][] {
  return events.flatMap((event) => (event.type === type ? [event.data as RecordedEventData[Type]] : []));
}

function sumUsage(responses: readonly RecordedEventData['model-end'][]): ModelUsage {
  let [inputTokens, outputTokens] = [0, 0];
  for (const { usage } of responses) {
    inputTokens += usage.inputTokens;
    outputTokens += usage.outputTokens;
  }
  return { inputTokens, outputTokens };
}

function costOf(responses: readonly RecordedEventData['model-end'][]): number | undefined {
  let total = 0;
  for (const { cost } of responses) {
    if (cost === undefined) return undefined;
    total += cost;
  }
  return responses.length === 0 ? undefined : total;
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
