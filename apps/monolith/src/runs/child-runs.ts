import type { RunDetails } from '@ravi/api';
import type { Run, RunStore } from '@ravi/kernel';

const maxChildren = 1_000;

/** Returns the newest 1 000 runs below a run, oldest first. @throws KernelError from the store */
export async function readChildRuns(
  runs: Pick<RunStore, 'list'>,
  parentRunId: string,
): Promise<RunDetails['children']> {
  const { items } = await runs.list({ parentRunId }, { limit: maxChildren });
  return items.toReversed().map(shown);
}

/** Returns a run as an entry of the run above it. The call that it works for links the two. */
function shown({ id, status, createdAt, definition }: Run): RunDetails['children'][number] {
  const { callId, agent } = definition.details ?? {};
  return {
    id,
    kind: definition.kind,
    status,
    createdAt,
    ...(typeof callId === 'string' ? { callId } : {}),
    ...(typeof agent === 'string' ? { agent } : {}),
  };
}
