import type { InvokerSession, ToolInvoker } from '@ravi/invoker';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { Clock, CompleteStateStore, NewRun, Run, RunWriter } from '@ravi/kernel';
import { retryWhileUnavailable } from '@ravi/support';
import type { RunWithin, ScriptParts } from '../call-script.ts';
import { childRunId, recoverableSession } from './child-run.ts';
import type { CallOfRun } from './child-run.ts';
import { resultOf } from './end-run.ts';
import type { DurableChainResult } from './end-run.ts';
import { filesOf, readRecordedRun } from './recorded-run.ts';
import { defineRun } from './run-definition.ts';

/** Options of {@link createChildChains}. */
export interface ChildChainsOptions {
  readonly store: CompleteStateStore;
  readonly invoker: ToolInvoker;
  /** Creates a run that this process has. */
  create(run: NewRun, above: RunWriter | undefined): Promise<Run>;
  /** Takes a live run. @throws KernelError `E_STATE_CONFLICT` while another process has it, or the run above */
  claim(runId: string, above: RunWriter | undefined): Promise<Run>;
  /** Resolves when this process no longer executes the run. */
  settled(runId: string): Promise<unknown>;
  activate(run: Run, call: CallOfRun, parts: ScriptParts | undefined): Promise<DurableChainResult>;
}

const retryMs = 200;

/** Creates the function that runs the scripts of calls as runs of their own. */
export function createChildChains(options: ChildChainsOptions): RunWithin {
  const { store, invoker, create, claim, settled, activate } = options;
  const { clock } = invoker;

  /** Creates the run of a call, or takes the one that an earlier process has created. */
  async function acquire(run: NewRun, { lease, signal }: Pick<InvokerSession, 'lease' | 'signal'>): Promise<Run> {
    const writer = lease?.writer;
    for (;;) {
      signal.throwIfAborted();
      // The run above was suspended here and continues here, before this process has let go of the script.
      await settled(run.id);
      const known = await store.runs.get(run.id);
      if (known?.outcome !== undefined) return known;
      try {
        return await (known === undefined ? create(run, writer) : claim(run.id, writer));
      } catch (error) {
        if (!isKernelError(error, 'E_STATE_CONFLICT')) throw error;
        const above = await store.runs.get(run.parentRunId ?? '');
        if (above === undefined || above.outcome !== undefined || !isHeldBy(above, writer)) throw error;
      }
      // A process that has died, and has also lost the run above, counts as dead soon.
      await pause(clock, signal);
    }
  }

  async function keepArtifacts(runId: string, session: InvokerSession): Promise<void> {
    const recorded = readRecordedRun((await store.journal.entries(runId)).items);
    for (const file of filesOf(recorded)) session.addFile(file);
    for (const ref of recorded.artifacts) {
      await session.pinArtifact(ref).catch((error: unknown) => {
        if (!isKernelError(error, 'E_BLOB_NOT_FOUND')) throw error;
      });
    }
  }

  return async (context, script, { parts, ...progress } = {}) => {
    const { callId, signal } = context;
    const waitFor = <Value>(operation: () => Promise<Value>): Promise<Value> =>
      retryWhileUnavailable(operation, { clock, signal });
    const session = await waitFor(() => recoverableSession(store, context));
    if (session === undefined) return undefined;
    const { runId: parentRunId, sessionId, principal, policy } = session;
    const definition = defineRun({ ...script, policy: { ...policy, ...script.policy } }, parts?.invoker ?? invoker, {
      callId,
      callerFilters: session.callerFilters,
    });
    const id = childRunId(session, callId, definition);
    try {
      const row = { id, parentRunId, sessionId, principal, definition, createdAt: clock.now() };
      const run = await waitFor(() => acquire(row, { lease: session.lease, signal }));
      if (run.outcome !== undefined) {
        await waitFor(() => keepArtifacts(id, session));
        return await waitFor(() => resultOf(run, store.journal));
      }
      const above = { parent: session, parentCallId: callId, isPartOfParentRun: true };
      const onWaiting = waitsOf(session, callId);
      const call = { session, signal, options: { ...above, ...progress }, onWaiting };
      return await activate(run, call, parts);
    } catch (error) {
      if (!isForLater(error)) throw error;
      // The run above must not read this as a failure of the script: the process that continues it makes the call again.
      const reason = 'The script continues in another process, or later';
      session.cancel(reason, new KernelError('E_RUN_SUSPENDED', reason, { cause: error }));
      throw error;
    }
  };
}

function isHeldBy({ id, owner, epoch }: Run, writer: RunWriter | undefined): boolean {
  return writer?.runId !== id || (owner === writer.owner && epoch === writer.epoch);
}

/** Reports the waits of a script as waits of its call. */
function waitsOf(session: InvokerSession, callId: string): CallOfRun['onWaiting'] {
  let end: (() => void) | undefined;
  return (approvals) => {
    end?.();
    end = approvals === undefined ? undefined : session.enterHumanWait(callId, approvals);
  };
}

function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.setTimer(resolve, retryMs);
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => timer.cancel());
}

function isForLater(error: unknown): boolean {
  return isKernelError(error, 'E_RUN_SUSPENDED') || isKernelError(error, 'E_STATE_CONFLICT');
}
