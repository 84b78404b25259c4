import { keepProcess } from '@ravi/agents';
import type { KeptProcess } from '@ravi/agents';
import { checkLanguage, storeNewRun, retryWhileUnavailable } from '@ravi/support';
import type { ToolInvoker } from '@ravi/invoker';
import { isKernelError, KernelError, silentLogger } from '@ravi/kernel';
import type {
  ExpiryPolicy,
  Logger,
  NewRun,
  ProgressSink,
  Run,
  RunBlock,
  RunHolder,
  RunWriter,
  Sandbox,
  SandboxLanguage,
  CompleteStateStore,
} from '@ravi/kernel';
import type { Preflight } from '../../preflight/preflight.ts';
import { lendChains } from '../call-script.ts';
import type { RunWithin, ScriptParts } from '../call-script.ts';
import { createActivation } from './activation.ts';
import type { Activation, ActivationOptions } from './activation.ts';
import { createChildChains } from './child-chains.ts';
import { resultOf } from './end-run.ts';
import type { DurableChainResult } from './end-run.ts';
import { hasWork } from './recorded-run.ts';
import { blockOf, chainKind, defineRun, needsOf } from './run-definition.ts';
import type { DurableChainRequest } from './run-definition.ts';

/** Options of {@link createDurableChains}. */
export interface DurableChainsOptions {
  readonly store: CompleteStateStore;
  /** Its approval handler should store its requests in the same store, as `createStoredApprovals` does. */
  readonly invoker: ToolInvoker;
  /** Must have `marksTurns` for the languages of the scripts. */
  readonly sandbox: Sandbox;
  readonly logger?: Logger;
  /** Checks scripts before they run; `false` disables the check. Defaults to the check of this process. */
  readonly preflight?: Preflight | false;
  /**
   * This process, which agents of it share; the caller disposes it after the chains. When absent the chains keep a record of their own:
   * others can resume their runs 10 seconds after they have fallen silent.
   */
  readonly process?: KeptProcess;
  /** Milliseconds until an approval request of a paused run expires; seven days when absent, 24.8 days at most. */
  readonly approvalExpiryMs?: number;
  /**
   * Policy for an approval request that is not decided in time; `deny` when absent: the script receives
   * `E_APPROVAL_EXPIRED`. `park`: the request stays open and the run paused, also with `approvals: 'wait'`, until a person decides
   * or the run is cancelled.
   */
  readonly onApprovalExpiry?: ExpiryPolicy;
  /** Milliseconds for which a run waits only for approvals before it is paused; 250 when absent. */
  readonly pauseAfterMs?: number;
  /** Receives the progress of the calls of runs, except of those that work for a call. */
  readonly onProgress?: ProgressSink;
}

/** Scripts that survive the end of their process. Disposing it suspends the active runs, which can be resumed later. */
export interface DurableChains extends AsyncDisposable {
  /**
   * Runs a script until it ends or is paused (status `paused`). Errors of the script are part of the result.
   * @throws KernelError `E_CONFIG_INVALID` for a policy that contradicts itself, `E_UNSUPPORTED` for a language whose
   * turns the sandbox does not mark, `E_STATE_CONFLICT` when the id is taken or another process has resumed the run, `E_RUN_SUSPENDED`
   * when the process ends first, and the errors of store and sandbox
   */
  start(request: DurableChainRequest): Promise<DurableChainResult>;
  /**
   * Stores the run of a script without executing it: a process begins it later with `resume`. The signal of the request concerns only the
   * storing.
   * @throws KernelError as {@link DurableChains.start}
   */
  enqueue(request: DurableChainRequest): Promise<Run>;
  /**
   * Resumes a run from its journal until it ends or is paused, or begins one that is queued. Returns the recorded result of a run that is over.
   * @throws KernelError `E_RUN_NOT_FOUND`, `E_STATE_CONFLICT` while another process holds the run, else as
   * {@link DurableChains.start}
   */
  resume(runId: string): Promise<DurableChainResult>;
  /**
   * Runs the script of a tool's call as a run of its own below the run of the call: starts it, or resumes it if an earlier
   * process has started it. It may do no more than the call may do at that time, and it is suspended and cancelled with the
   * call. Returns `undefined` if no process could resume it: the run of the call is not stored with a process, or the sandbox
   * does not mark the turns of its language.
   * `chains.resume` does not resume such a run: the call has to be made again, which recovery of the agent does.
   * @throws KernelError as {@link DurableChains.start}
   */
  readonly runWithin: RunWithin;
  get(runId: string): Promise<Run | undefined>;
  /** True if scripts in the language can run durably, because the sandbox marks their turns. */
  canReplay(language: SandboxLanguage): boolean;
  /**
   * Returns what the definition of a run names and this process does not have as it was when the run started; `undefined` if
   * nothing is missing here. Recovery does not claim a run with such a block while another process may resume it.
   */
  blockOf(run: Run): RunBlock | undefined;
  /**
   * True if this process found within the last ten minutes that the script or a tool of the run has changed, also one that only its record
   * names. Recovery leaves such a run as it is.
   */
  hasChanged(runId: string): boolean;
  /** Forgets which runs have changed: tools may be as before. {@link RunRecovery.retryChanged} calls it. */
  forgetChanged(): void;
  /** Ends a run of this process for good; `false` when this process does not execute the run. */
  cancel(runId: string): boolean;
  /** Number of runs that this process executes now; paused runs are not counted. */
  readonly active: number;
}

interface NewChain {
  readonly id: string;
  readonly row: NewRun;
  readonly signal: AbortSignal | undefined;
  readonly ends: AbortSignal;
}

const maxRunIdLength = 100;
const changedMs = 600_000;

/** Creates durable chains over a store that several processes may share. */
export function createDurableChains(options: DurableChainsOptions): DurableChains {
  const { store, invoker, sandbox, preflight, logger = silentLogger } = options;
  const { approvalExpiryMs = 604_800_000, pauseAfterMs = 250, onApprovalExpiry = 'deny' } = options;
  const progress = options.onProgress === undefined ? {} : { onProgress: options.onProgress };
  const { clock } = invoker;
  const process = options.process ?? keepProcess({ store, clock, logger });
  const owner = process.id;
  const stores = { runs: store.runs, process };
  const closing = new AbortController();
  const active = new Map<string, Activation>();
  /** Runs whose script or tools differ here, and the time of the next attempt. */
  const changed = new Map<string, number>();
  /** Monotonic times at which runs that are not active yet were requested. */
  const requested = new Map<string, number>();

  async function activate(
    run: Run,
    how: Pick<ActivationOptions, 'signal' | 'call'> & Partial<ScriptParts> = {},
  ): Promise<DurableChainResult> {
    const activation = createActivation(run, {
      store,
      invoker,
      sandbox,
      logger,
      process,
      heldSince: requested.get(run.id) ?? -Infinity,
      approvalExpiryMs,
      onApprovalExpiry,
      pauseAfterMs,
      ...(preflight === undefined ? {} : { preflight }),
      ...progress,
      ...how,
    });
    active.set(run.id, activation);
    requested.delete(run.id);
    const result = await activation.result.finally(() => active.delete(run.id));
    if (result.error?.code === 'E_RUN_CHANGED' && result.status === 'paused') {
      changed.set(run.id, clock.now() + changedMs);
      return result;
    }
    changed.delete(run.id);
    return result.status === 'paused' ? resumeIfDecided(run, result) : result;
  }

  // Run recovery ignores a decision that arrives before its run is paused.
  async function resumeIfDecided(run: Run, paused: DurableChainResult): Promise<DurableChainResult> {
    if (!(await waitFor(() => hasWork(store, run)))) return paused;
    try {
      return await resume(paused.runId);
    } catch (error) {
      if (isKernelError(error, 'E_STATE_CONFLICT')) return paused;
      throw error;
    }
  }

  async function resume(runId: string): Promise<DurableChainResult> {
    checkOpen();
    const running = active.get(runId);
    if (running !== undefined) return running.result;
    const run = await waitFor(() => store.runs.get(runId));
    if (run?.definition.kind !== chainKind) throw new KernelError('E_RUN_NOT_FOUND', `There is no chain ${runId}`);
    if (run.outcome !== undefined) return waitFor(() => resultOf(run, store.journal));
    if (run.parentRunId !== undefined) {
      throw new KernelError('E_STATE_CONFLICT', `Run ${runId} continues together with run ${run.parentRunId}`);
    }
    checkReplay(run);
    const claimed = await waitFor(() => claim(runId));
    return active.get(runId)?.result ?? activate(claimed);
  }

  function waitFor<Value>(operation: () => Promise<Value>): Promise<Value> {
    return retryWhileUnavailable(operation, { clock, signal: closing.signal });
  }

  function checkOpen(): void {
    if (closing.signal.aborted) {
      throw new KernelError('E_RUN_SUSPENDED', 'The process is shutting down and does not start or resume runs');
    }
  }

  function canReplay(language: SandboxLanguage): boolean {
    return marksTurnsOf(sandbox, language);
  }

  function checkReplay({ definition: { language = 'javascript' } }: Pick<Run, 'definition'>): void {
    checkLanguage(sandbox, language);
    if (canReplay(language)) return;
    throw new KernelError(
      'E_UNSUPPORTED',
      `The sandbox ${sandbox.name} does not mark the turns of scripts in ${language}, which durable scripts need`,
    );
  }

  async function claim(runId: string, above?: RunWriter): Promise<Run> {
    await process.started();
    const claimed = await timed(runId, () => store.runs.claim(runId, holder(above)));
    if (claimed === undefined) throw new KernelError('E_STATE_CONFLICT', `Another process executes run ${runId}`);
    if (claimed.status === 'running') return claimed;
    const from = ['paused', 'blocked'] as const;
    const change = { from, to: 'running', now: clock.now(), owner, epoch: claimed.epoch } as const;
    if (await store.runs.transition(runId, change)) {
      const { block: _, ...run } = claimed;
      return { ...run, status: 'running' };
    }
    throw new KernelError('E_STATE_CONFLICT', `Another process executes run ${runId}`);
  }

  async function create(run: NewRun, above?: RunWriter): Promise<Run> {
    checkOpen();
    await process.started();
    return timed(run.id, () => store.runs.create(run, holder(above)));
  }

  // Returns the row of a new run, and the signal that ends the storing.
  function prepare(request: DurableChainRequest): NewChain {
    const { runId: id = `run_${crypto.randomUUID()}`, sessionId = `session_${crypto.randomUUID()}` } = request;
    if (id.length > maxRunIdLength) {
      throw new KernelError('E_CONFIG_INVALID', `The id of a run has at most ${maxRunIdLength} characters`);
    }
    const { principal = 'local', signal } = request;
    const definition = defineRun(request, invoker, { callerFilters: invoker.toolsOf(principal) });
    checkOpen();
    checkReplay({ definition });
    const row = { id, principal, sessionId, definition, createdAt: clock.now() };
    const ends = signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal]);
    return { id, row, signal, ends };
  }

  function holder(above: RunWriter | undefined): RunHolder {
    return above === undefined ? { owner } : { owner, above };
  }

  async function timed<Result>(runId: string, request: () => Promise<Result>): Promise<Result> {
    const at = clock.monotonic();
    const result = await request();
    if (result !== undefined) requested.set(runId, at);
    return result;
  }

  const runChild = createChildChains({
    store,
    invoker,
    create,
    claim(runId, above) {
      checkOpen();
      return claim(runId, above);
    },
    settled: async (runId) => active.get(runId)?.result.catch(() => {}),
    activate: (run, call, parts) => activate(run, { call, ...parts }),
  });
  const runWithin: RunWithin = async (context, script, how = {}) => {
    const runs = how.parts?.sandbox ?? sandbox;
    return marksTurnsOf(runs, script.language) ? runChild(context, script, how) : undefined;
  };
  lendChains(invoker, runWithin);

  return {
    get active() {
      return active.size;
    },
    async start(request) {
      const { id, row, signal, ends } = prepare(request);
      const created = { row, holder: holder(undefined) };
      const run = await timed(id, () => storeNewRun(stores, created, { clock, signal: ends }));
      return activate(run, signal === undefined ? {} : { signal });
    },
    async enqueue(request) {
      const { row, ends } = prepare(request);
      return storeNewRun(stores, { row }, { clock, signal: ends });
    },
    resume,
    runWithin,
    get: (runId) => store.runs.get(runId),
    canReplay,
    blockOf: (run) => blockOf(needsOf(run, invoker)),
    hasChanged: (runId) => (changed.get(runId) ?? 0) > clock.now(),
    forgetChanged: () => changed.clear(),
    cancel(runId) {
      const running = active.get(runId);
      running?.cancel();
      return running !== undefined;
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      const activations = [...active.values()];
      for (const activation of activations) activation.suspend('The process is shutting down');
      await Promise.allSettled(activations.map((activation) => activation.result));
      if (options.process === undefined) await process[Symbol.asyncDispose]();
    },
  };
}

// A plugin for an earlier version has `true` there.
function marksTurnsOf({ supports }: Sandbox, language: SandboxLanguage): boolean {
  return [supports.marksTurns].flat().includes(language);
}
