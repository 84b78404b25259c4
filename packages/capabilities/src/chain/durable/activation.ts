import type { KeptProcess } from '@ravi/agents';
import { isSuspension } from '@ravi/invoker/internal';
import { retryWhileUnavailable } from '@ravi/support';
import type { InvokerSession, SessionDurability, SessionLease, SessionOptions, ToolInvoker } from '@ravi/invoker';
import { isKernelError, KernelError } from '@ravi/kernel';
import type {
  AwaitedApproval,
  ChainRunResult,
  ExpiryPolicy,
  JsonObject,
  Logger,
  ProgressSink,
  Run,
  RunBlock,
  Sandbox,
  CompleteStateStore,
  Timer,
} from '@ravi/kernel';
import type { Preflight } from '../../preflight/preflight.ts';
import { prepareCallSet } from '../set/prepare-call-set.ts';
import type { PreparedSet, SetParts } from '../set/prepare-call-set.ts';
import { runInSession, runUnseen } from '../run-chain.ts';
import type { ChainRunOptions } from '../run-chain.ts';
import type { CallOfRun } from './child-run.ts';
import { createDurableBridge } from './durable-bridge.ts';
import type { DurableBridge, RunBeginning } from './durable-bridge.ts';
import {
  blockedBy,
  cancelledResult,
  changedResult,
  conflict,
  endOf,
  endRun,
  failedResult,
  pausedResult,
  pauseOf,
} from './end-run.ts';
import type { DurableChainResult } from './end-run.ts';
import { filesOf, readApprovals, readRecordedRun } from './recorded-run.ts';
import type { RecordedRun } from './recorded-run.ts';
import { blockOf, needsOf, sessionOfRun } from './run-definition.ts';
import { createRunLog } from './run-log.ts';
import type { RunLog } from './run-log.ts';

/** Options of {@link createActivation}. */
export interface ActivationOptions {
  readonly store: CompleteStateStore;
  readonly invoker: ToolInvoker;
  readonly sandbox: Sandbox;
  readonly logger: Logger;
  readonly preflight?: Preflight | false;
  /** Has the run. */
  readonly process: KeptProcess;
  /** Monotonic time at which the run was requested. */
  readonly heldSince: number;
  readonly approvalExpiryMs: number;
  readonly onApprovalExpiry: ExpiryPolicy;
  readonly pauseAfterMs: number;
  /** Cancels the run for good. */
  readonly signal?: AbortSignal;
  /** Receives the progress of the calls. */
  readonly onProgress?: ProgressSink;
  /** Call whose work the run does. Its signal suspends the run together with the run above, or cancels it. */
  readonly call?: CallOfRun;
}

/** A run that this process executes, until it ends, is paused or is released to other processes. */
export interface Activation {
  readonly result: Promise<DurableChainResult>;
  /** Stops the run without ending it, so that it can be resumed later or by another process. */
  suspend(reason: string): void;
  /** Ends the run for good. */
  cancel(): void;
}

/** Executes a run that this process has just created or claimed: from its start, or by replaying its journal. */
export function createActivation(run: Run, options: ActivationOptions): Activation {
  const { store, invoker, logger, process, heldSince, pauseAfterMs, call, signal = call?.signal } = options;
  const { clock } = invoker;
  const { approvals: mode, approve } = sessionOfRun(run, invoker);
  const pausesWhileWaiting = call !== undefined || mode === 'pause' || options.onApprovalExpiry === 'park';
  const { epoch } = run;
  const owner = process.id;
  const writer = { runId: run.id, owner, epoch };
  /** Aborts when the script has to end. */
  const ending = new AbortController();
  /** Aborts when the run is suspended. */
  const leaving = new AbortController();
  let isPausing = false;
  let isCancelled = false;
  let pauseTimer: Timer | undefined;

  function suspend(reason: string, error: unknown = new KernelError('E_RUN_SUSPENDED', reason)): void {
    leaving.abort(error);
    ending.abort(new KernelError('E_RUN_SUSPENDED', reason));
  }

  function onWaiting(approvals: readonly AwaitedApproval[] | undefined): void {
    // The run above decides when both are paused.
    if (call !== undefined) return call.onWaiting(approvals);
    // With the mode `wait`, the run pauses when the time of its last request has passed.
    if (approvals === undefined || mode === 'wait') {
      pauseTimer?.cancel();
      pauseTimer = undefined;
    }
    if (approvals === undefined) return;
    const ends = mode === 'wait' ? approvals.map(({ expiresAt }) => expiresAt - clock.now()) : [];
    pauseTimer ??= clock.setTimer(
      () => {
        isPausing = true;
        ending.abort(new KernelError('E_RUN_SUSPENDED', 'The run waits for approval'));
      },
      pauseAfterMs + Math.max(0, ...ends),
    );
  }

  const waitFor = <Value>(operation: () => Promise<Value>): Promise<Value> =>
    retryWhileUnavailable(operation, { clock, signal: leaving.signal });

  async function activate(): Promise<DurableChainResult> {
    using lease = process.hold(writer, {
      since: heldSince,
      onLost: () => suspend('Another process has resumed the run', conflict(run.id)),
    });
    const cancel = (): void => {
      if (call !== undefined && isSuspension(signal?.reason)) suspend('The run above is suspended');
      else ending.abort(signal?.reason);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true) cancel();
    try {
      return await resume(lease);
    } finally {
      signal?.removeEventListener('abort', cancel);
      onWaiting(undefined);
    }
  }

  async function resume(lease: SessionLease): Promise<DurableChainResult> {
    const { items, corrupt } = await waitFor(() => store.journal.entries(run.id));
    const recorded = readRecordedRun(items);
    const log = createRunLog({
      store,
      writer,
      recorded,
      clock,
      signal: leaving.signal,
      onFinished: (place, now) => bridge?.finished(place, now),
      onLost: (error) => suspend('The journal of the run is not available', error),
    });
    let bridge: DurableBridge | undefined;
    const end = (result: ChainRunResult): Promise<DurableChainResult> =>
      endRun(run, result, {
        store,
        invoker,
        logger,
        writer,
        log,
        waitFor,
        ...(call === undefined ? {} : { keepArtifact: (ref) => call.session.pinArtifact(ref) }),
      });

    // The script does not run again, so no call adds its files.
    if (recorded.result !== undefined) for (const file of filesOf(recorded)) call?.session.addFile(file);
    if (recorded.result !== undefined) return end(recorded.result as unknown as ChainRunResult);
    const [damage] = corrupt;
    if (damage !== undefined) return end(failedResult(damage, recorded));
    try {
      // The first attempt is that of the process that has just defined the run. The digest of a large input takes a while.
      const block = run.epoch > 1 ? blockOf(needsOf(run, invoker, recorded)) : undefined;
      if (block !== undefined) {
        const error = new KernelError('E_RUN_CHANGED', block.message);
        // A child's parent would wait for ever.
        if (run.parentRunId !== undefined) throw error;
        return await pause(changedResult(error, recorded), block);
      }
      const beginning = (recorded.events.get(0)?.value as RunBeginning | undefined) ?? newBeginning(clock.now());
      if (!recorded.events.has(0)) log.event(0, 'seed', beginning).catch(() => {});
      const prepared = await prepareSet({ log, recorded, beginning, lease });
      if ('result' in prepared) return await leave(prepared.result, end, recorded);
      const session = await openSession(log, (...wait) => bridge?.onHumanWait(...wait) ?? (() => {}), prepared);
      session.holdLease(lease);
      // The script of a call has the scratchpad of the run above. The dry run of a set has a session of its own.
      const kept = call === undefined && (epoch > 1 || approve === 'set') ? session.storedScratchpad : undefined;
      if (kept !== undefined) await waitFor(() => kept.restore());
      bridge = createDurableBridge({
        invoker,
        session,
        log,
        recorded,
        beginning,
        onWaiting: pausesWhileWaiting ? onWaiting : () => {},
        ...(prepared.dryResults === undefined ? {} : { dryResults: prepared.dryResults }),
        onStop: (message) => ending.abort(new KernelError('E_CANCELLED', message)),
      });
      return await leave(await runInSession(scriptOf(run, options), session, bridge), end, recorded);
    } catch (error) {
      return isFinal(error) ? end(failedResult(error, recorded)) : release(error);
    } finally {
      bridge?.stop();
    }
  }

  /** Ends the run with a result, or leaves it to another process or a later time. */
  async function leave(
    result: ChainRunResult,
    end: (result: ChainRunResult) => Promise<DurableChainResult>,
    recorded: RecordedRun,
  ): Promise<DurableChainResult> {
    if (result.status !== 'cancelled' || !(isPausing || leaving.signal.aborted)) return end(result);
    if (isFinal(leaving.signal.reason)) return end(failedResult(leaving.signal.reason, recorded));
    // A cancellation that came while the run left is kept, unless another process has the run.
    if (isCancelled && !isLost()) return end(cancelledResult(result));
    const paused = await pause(result);
    return isCancelled ? endPaused(result, paused) : paused;
  }

  // With `approve: "set"`: dry-runs the script unless an earlier process has, and asks for its calls.
  async function prepareSet(parts: Pick<SetParts, 'log' | 'recorded' | 'beginning' | 'lease'>): Promise<PreparedSet> {
    if (approve === 'each') return {};
    return prepareCallSet({
      ...parts,
      invoker,
      sessionOptions: (onHumanWait) => sessionOptions(parts.log, onHumanWait),
      onHumanWait: (_, approvals) => {
        if (!pausesWhileWaiting) return () => {};
        onWaiting(approvals);
        return () => onWaiting(undefined);
      },
      dryRun: (session, host) => runUnseen(scriptOf(run, options), session, host),
    });
  }

  async function openSession(
    log: RunLog,
    onHumanWait: SessionDurability['onHumanWait'],
    { approvedCalls }: PreparedSet,
  ): Promise<InvokerSession> {
    const { durability, ...more } = await sessionOptions(log, onHumanWait);
    const approved = approvedCalls === undefined ? {} : { approvedCalls };
    return invoker.openSession({ ...more, durability: { ...durability, ...approved } });
  }

  async function sessionOptions(
    log: RunLog,
    onHumanWait: SessionDurability['onHumanWait'],
  ): Promise<SessionOptions & { readonly durability: SessionDurability }> {
    const { requestedApprovals, decidedApprovals, completions, grants } = await waitFor(() =>
      readApprovals(store.approvals, run.id, call?.session.reportedRunId),
    );
    const { approvals, approve: _, ...session } = sessionOfRun(run, invoker);
    return {
      ...session,
      // The script of a call pauses with the run above.
      onApprovalExpiry: call?.session.onApprovalExpiry ?? options.onApprovalExpiry,
      ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
      ...call?.options,
      callLimit: 'maxScriptCalls',
      signal: ending.signal,
      durability: {
        requestedApprovals,
        decidedApprovals,
        completions,
        grants,
        onHumanWait,
        journal: log.journal,
        pinOwner: run.id,
        recordArtifact: (ref) => log.recordArtifact(ref),
        ...(approvals === 'pause' ? { approvalExpiryMs: options.approvalExpiryMs } : {}),
      },
    };
  }

  async function pause(result: ChainRunResult, block?: RunBlock): Promise<DurableChainResult> {
    if (leaving.signal.aborted) return release(leaving.signal.reason);
    const left = block === undefined ? pauseOf(run) : blockedBy(run, block);
    const change = { from: ['running'], owner, epoch, ...left } as const;
    const isPaused = await waitFor(() => store.runs.transition(run.id, { ...change, now: clock.now() }));
    if (!isPaused && (await waitFor(() => store.runs.get(run.id)))?.status !== left.to) throw conflict(run.id);
    if (block !== undefined) return { ...result, runId: run.id };
    const { pending } = await waitFor(() => readApprovals(store.approvals, run.id));
    return { ...pausedResult(result, pending), runId: run.id };
  }

  function isLost(): boolean {
    return leaving.signal.aborted && !isKernelError(leaving.signal.reason, 'E_RUN_SUSPENDED');
  }

  // The cancellation came while the pause was being stored.
  async function endPaused(result: ChainRunResult, paused: DurableChainResult): Promise<DurableChainResult> {
    const cancelled = cancelledResult(result);
    const change = { from: ['paused'], to: 'cancelled', epoch, ...endOf(run, cancelled) } as const;
    const isEnded = await waitFor(() => store.runs.transition(run.id, { ...change, now: clock.now() }));
    return isEnded ? { ...cancelled, runId: run.id } : paused;
  }

  async function release(error: unknown): Promise<never> {
    // So that another process does not have to wait until this one is dead. Only the run above resumes a run of a call.
    const change = { from: ['running'], to: 'paused', owner, epoch, now: clock.now() } as const;
    const isPaused = call !== undefined && (await store.runs.transition(run.id, change).catch(() => false));
    if (!isPaused) await store.runs.release(run.id, owner, epoch).catch(() => false);
    throw error;
  }

  return {
    result: activate(),
    suspend,
    cancel() {
      isCancelled = true;
      ending.abort(new KernelError('E_CANCELLED', 'The run was cancelled'));
    },
  };
}

function newBeginning(now: number): RunBeginning {
  return { now, seed: crypto.randomUUID().replaceAll('-', '') };
}

function scriptOf(
  { definition }: Run,
  { invoker, sandbox, preflight }: ActivationOptions,
): Omit<ChainRunOptions, 'policy' | 'signal' | 'session'> {
  const { code = '', language = 'javascript', input } = definition;
  return {
    code,
    language,
    invoker,
    sandbox,
    ...(input === undefined ? {} : { input: input as JsonObject }),
    ...(preflight === undefined ? {} : { preflight }),
  };
}

const finalCodes: ReadonlySet<string> = new Set([
  'E_CONFIG_INVALID',
  'E_RUN_CHANGED',
  'E_STATE_INVALID',
  'E_UNSUPPORTED',
]);

/** True if another attempt would fail in the same way. */
function isFinal(error: unknown): error is KernelError {
  return isKernelError(error) && finalCodes.has(error.code);
}
