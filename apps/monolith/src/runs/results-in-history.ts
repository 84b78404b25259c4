import { conversationIdOf } from '@ravi/agents';
import type { CompleteStateStore, HistoryEntry } from '@ravi/kernel';
import { readPages } from '@ravi/support';

/** Stores of {@link resultsInHistory}. */
export type HistoryOfRuns = Pick<CompleteStateStore, 'runs' | 'history'>;

/**
 * Returns the calls of a run whose results are in its conversation, by id, and whether each failed. The journal has no calls of
 * safe tools. A call that became a job is not among them: its message has the id of the job.
 */
export async function resultsInHistory(
  { runs, history }: HistoryOfRuns,
  runId: string,
  callIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, { readonly isError: boolean }>> {
  const found = new Map<string, { readonly isError: boolean }>();
  const run = callIds.size === 0 ? undefined : await runs.get(runId);
  if (run?.definition.kind !== 'agent') return found;
  const jobs = new Set<string>();
  const { principal } = run;
  const conversation = conversationIdOf(run);
  for await (const { items } of readPages((page) => history.read(principal, conversation, page))) {
    for (const entry of items.filter((one) => one.runId === runId)) {
      for (const callId of jobsOf(entry)) jobs.add(callId);
      for (const block of entry.message.content) {
        if (block.type === 'tool_result' && callIds.has(block.toolUseId)) found.set(block.toolUseId, block);
      }
    }
  }
  for (const callId of jobs) found.delete(callId);
  return found;
}

function jobsOf({ details }: HistoryEntry): readonly string[] {
  const jobs = details?.['jobs'];
  return Array.isArray(jobs) ? jobs.flatMap((job) => callIdOf(job)) : [];
}

function callIdOf(job: unknown): readonly string[] {
  const { callId } = (job ?? {}) as { readonly callId?: unknown };
  return typeof callId === 'string' ? [callId] : [];
}
