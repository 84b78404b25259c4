import type {
  ApprovedCalls,
  InvokerSession,
  SessionDurability,
  SessionLease,
  SessionOptions,
  ToolInvoker,
} from '@ravi/invoker';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { ChainRunResult, JsonValue } from '@ravi/kernel';
import { createDurableBridge } from '../durable/durable-bridge.ts';
import type { DurableBridge, RunBeginning } from '../durable/durable-bridge.ts';
import { failedResult } from '../durable/end-run.ts';
import type { RecordedRun } from '../durable/recorded-run.ts';
import type { RunLog } from '../durable/run-log.ts';
import { askForSet } from './ask-for-set.ts';
import { createApprovedCalls, createDryResults } from './call-set.ts';
import type { CallSet, DryResults, SetDecision } from './call-set.ts';
import { createCollector } from './collector.ts';

/** Parts of {@link prepareCallSet}. */
export interface SetParts {
  readonly invoker: ToolInvoker;
  readonly log: RunLog;
  readonly recorded: RecordedRun;
  readonly beginning: RunBeginning;
  readonly lease: SessionLease;
  /** Returns the options of a session of the run. */
  sessionOptions(
    onHumanWait: SessionDurability['onHumanWait'],
  ): Promise<SessionOptions & { readonly durability: SessionDurability }>;
  readonly onHumanWait: SessionDurability['onHumanWait'];
  /** Runs the script without observers and closes the session. */
  dryRun(session: InvokerSession, host: DurableBridge): Promise<ChainRunResult>;
}

/** Approvals and results for the real run, or the result with which the run ends or pauses instead. */
export type PreparedSet =
  | { readonly approvedCalls?: ApprovedCalls; readonly dryResults?: DryResults }
  | { readonly result: ChainRunResult; readonly approvedCalls?: never; readonly dryResults?: never };

const noJournal = { started: async (): Promise<void> => {}, finished: async (): Promise<void> => {} };

/**
 * Dry-runs a script, unless the journal has the outcome of an earlier dry run, and asks for the approval of the calls that it found. Both
 * are recorded, so that a process that continues the run does neither again. A dry run has no effect, so one that was interrupted is
 * repeated from its beginning.
 */
export async function prepareCallSet(parts: SetParts): Promise<PreparedSet> {
  const { log, recorded } = parts;
  let { set, setDecision } = recorded;
  if (set === undefined) {
    const dry = await collectCalls(parts);
    if ('result' in dry) return dry;
    set = dry.set;
    await log.note('set', set as unknown as JsonValue);
  }
  const dryResults = createDryResults(set);
  if (set.calls.length === 0) return { dryResults };
  if (setDecision === undefined) {
    const asked = await ask(set, parts);
    if ('result' in asked) return asked;
    setDecision = asked;
    await log.note('set-decision', setDecision as unknown as JsonValue);
  }
  return { dryResults, approvedCalls: createApprovedCalls(set.calls, setDecision, recorded.calls.values()) };
}

async function collectCalls(parts: SetParts): Promise<{ readonly set: CallSet } | { readonly result: ChainRunResult }> {
  const { invoker, log: runLog, recorded, beginning, lease, dryRun } = parts;
  const { durability, signal, ...options } = await parts.sessionOptions(() => () => {});
  const over = new AbortController();
  const ends = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  const session = invoker.openSession({
    ...options,
    signal: ends,
    durability: {
      ...durability,
      grants: [],
      journal: { ...noJournal, finished: (...end) => collector.log.journal.finished(...end) },
    },
  });
  session.holdLease(lease);
  const collector = createCollector({
    invoker,
    session,
    runLog,
    onFinished: (place, now) => bridge.finished(place, now),
    onOver: () => over.abort(new KernelError('E_CANCELLED', 'The dry run is over')),
  });
  const bridge = createDurableBridge({
    invoker,
    session,
    log: collector.log,
    recorded: emptyRun,
    beginning,
    collector,
    onWaiting: () => {},
    onStop: () => over.abort(new KernelError('E_CANCELLED', 'The dry run cannot continue')),
  });
  try {
    const result = await dryRun(session, bridge);
    if (collector.problem !== undefined) {
      return { result: failedResult({ code: 'E_LIMIT_CALLS', message: collector.problem }, recorded) };
    }
    const isCancelled = signal?.aborted === true;
    if (!isCancelled && (collector.isOver || result.status === 'ok')) return { set: collector.set };
    return { result: isCancelled ? result : withNote(result) };
  } finally {
    bridge.stop();
  }
}

const emptyRun: RecordedRun = {
  calls: new Map(),
  events: new Map(),
  order: [],
  artifacts: [],
  innerCalls: [],
  notes: 0,
};

const failedNote =
  'The dry run failed, so no approval was asked for, and no call that may have an effect was made.\n\n';

function withNote(result: ChainRunResult): ChainRunResult {
  const { outputText, outputBlocks, error, callTrace } = result;
  const text = failedNote + outputText;
  const [first, ...others] = outputBlocks;
  const report = first?.type === 'error' ? { ...first, message: text } : { type: 'text' as const, text };
  const outputs = { outputText: text, outputBlocks: [report, ...others] };
  return { ...result, ...outputs, callTrace, ...(error === undefined ? {} : { error }) };
}

async function ask(
  set: CallSet,
  { invoker, lease, recorded, sessionOptions, onHumanWait }: SetParts,
): Promise<SetDecision | { readonly result: ChainRunResult }> {
  const { durability, callLimit: _, allowedTools: __, ...options } = await sessionOptions(onHumanWait);
  // The request is not a call of the script. A process that continues the run finds it, and its decision, by its id.
  const own = { ...options, durability: { ...durability, grants: [], journal: noJournal } };
  const failed = (code: string, message: string): { readonly result: ChainRunResult } => ({
    result: failedResult({ code, message }, recorded),
  });
  try {
    const { result, record, isExact } = await askForSet(set, invoker, own, (session) => session.holdLease(lease));
    const { error } = result;
    if (error !== undefined) return failed(error.code, `The calls of the script were not approved: ${error.message}`);
    const approval = record?.approval;
    if (isExact && approval?.decision === 'approved') return { approval };
    const message = 'The calls of the script were not approved: they can only be approved or denied as they are';
    return failed('E_APPROVAL_DENIED', message);
  } catch (error) {
    if (!isKernelError(error, 'E_CANCELLED')) throw error;
    const { code, message } = error;
    return { result: { ...failedResult({ code, message }, recorded), status: 'cancelled' } };
  }
}
