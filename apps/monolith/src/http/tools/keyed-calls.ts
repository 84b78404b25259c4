import type { InterruptedCall, SessionOptions } from '@ravi/invoker';
import { canReconcile, mayHaveBegun } from '@ravi/kernel';
import type { InvocationResult, Journal, RunJournal, ToolRegistry } from '@ravi/kernel';
import { createProcessId, hasEnded } from '../../runs/process-id.ts';

/** Direct call of an earlier request with the same key. */
export interface EarlierCall {
  readonly sessionId: string;
  /** Present if the call has an outcome. */
  readonly result?: InvocationResult;
  /** Present if its process ended during the call, and its tool can find out whether it took effect. */
  readonly interrupted?: InterruptedCall;
}

/** Direct calls of requests with an `Idempotency-Key`, in the journal. */
export interface KeyedCalls {
  /** Returns the options of the session of such a call, whose journal entry names this process. */
  sessionOf(runId: string): Pick<SessionOptions, 'runId' | 'journal'>;
  /** Returns the call of an earlier request; `undefined` if it may still run, or its outcome cannot be found out. */
  find(runId: string, tool: string): Promise<EarlierCall | undefined>;
}

/** Creates the {@link KeyedCalls} of this process. Without a journal no earlier call is found. */
export function createKeyedCalls({
  journal,
  registry,
}: {
  readonly journal: RunJournal | undefined;
  readonly registry: ToolRegistry;
}): KeyedCalls {
  const id = createProcessId();
  const owned: Journal | undefined = journal && {
    started: (entry) => journal.started({ ...entry, process: id }),
    finished: (entry, result) => journal.finished({ ...entry, process: id }, result),
  };
  return {
    sessionOf: (runId) => (owned === undefined ? {} : { runId, journal: owned }),
    async find(runId, tool) {
      const { items = [], corrupt = [] } = (await journal?.entries(runId)) ?? {};
      const [call, ...others] = items.filter((item) => item.type === 'call');
      // Calls inside it are not repeated with it.
      if (call === undefined || others.length > 0 || corrupt.length > 0) return undefined;
      const { sessionId, record, attempt, toolDigest, process } = call.entry;
      // It was cancelled while it ran.
      if (record.status === 'cancelled') return undefined;
      if (call.result !== undefined) return { sessionId, result: call.result };
      // The server that began the call may still execute it.
      if (process === undefined || !mayHaveBegun(call) || !hasEnded(process) || !canReconcile(registry.get(tool)))
        return undefined;
      return { sessionId, interrupted: { record, attempt, toolDigest } };
    },
  };
}
