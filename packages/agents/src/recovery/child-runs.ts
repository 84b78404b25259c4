import type { Run, RunStore } from '@ravi/kernel';
import { agentKind } from '../loop/run-record.ts';

/** Runs below an interrupted run. */
export interface ChildRuns {
  /** True if there are runs of sub-agents. */
  readonly hadAgents: boolean;
  /** Runs that are the script of a call, by the id of the call. */
  readonly scripts: ReadonlyMap<string, Run>;
}

/** Reads the runs below a run. @throws KernelError from the store */
export async function readChildRuns(runs: RunStore | undefined, parentRunId: string): Promise<ChildRuns> {
  const scripts = new Map<string, Run>();
  let hadAgents = false;
  let cursor: string | undefined;
  do {
    const page = await runs?.list({ parentRunId }, cursor === undefined ? {} : { cursor });
    for (const run of page?.items ?? []) {
      const { kind, details } = run.definition;
      const callId = details?.['callId'];
      if (kind === agentKind) hadAgents = true;
      else if (typeof callId === 'string') scripts.set(callId, run);
    }
    cursor = page?.next;
  } while (cursor !== undefined);
  return { hadAgents, scripts };
}

/** Ends live scripts whose calls will not be made again, with their approvals. @throws KernelError from the store */
export async function endScripts(
  runs: RunStore | undefined,
  { scripts }: ChildRuns,
  isDead: (callId: string) => boolean,
  { now, reason }: { readonly now: number; readonly reason: string },
): Promise<void> {
  const outcome = { error: { code: 'E_CANCELLED', message: reason, retryable: false } };
  for (const [callId, { id, outcome: ended }] of scripts) {
    if (ended !== undefined || !isDead(callId)) continue;
    await runs?.transition(id, { from: ['running', 'paused'], to: 'cancelled', now, outcome });
  }
}
