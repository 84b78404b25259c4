import { sessionOf, sha256OfJson } from '@ravi/invoker';
import type { InvokerSession, SessionOptions } from '@ravi/invoker';
import type { AwaitedApproval, CompleteStateStore, RunDefinition, ToolContext } from '@ravi/kernel';

/** The call whose work a run does. */
export interface CallOfRun {
  /** Session of the call. Its permissions apply to the script while it runs. */
  readonly session: InvokerSession;
  /** Aborts when the call ends. */
  readonly signal: AbortSignal;
  /** Options of the session of the script, apart from those in its definition. */
  readonly options: SessionOptions;
  /** Called with the approvals that the script waits for when it waits for nothing else, and with `undefined` when that ends. */
  onWaiting(approvals: readonly AwaitedApproval[] | undefined): void;
}

/**
 * Returns the session of a call if another process can make the call again with the same id: the run of the call is stored
 * and has an owner. A script of any other call has nothing to resume it.
 * @throws KernelError from the store
 */
export async function recoverableSession(
  store: Pick<CompleteStateStore, 'runs'>,
  context: ToolContext,
): Promise<InvokerSession | undefined> {
  const session = sessionOf(context);
  if (session === undefined) return undefined;
  const run = await store.runs.get(session.runId);
  return run?.owner !== undefined && run.outcome === undefined ? session : undefined;
}

/** Returns the id of the run of a script: the same whenever this call of this run runs the same script. */
export function childRunId(session: InvokerSession, callId: string, { scriptDigest = '' }: RunDefinition): string {
  return `run_${sha256OfJson([session.runId, callId, scriptDigest]).slice(0, 40)}`;
}
