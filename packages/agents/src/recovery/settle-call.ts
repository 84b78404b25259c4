import { errorResult, previewOf } from '@ravi/invoker/internal';
import { isCallWithin, mayHaveBegun } from '@ravi/kernel';
import type { CallStatus, InvocationResult, JournaledCall, JournalItem, Listing, ToolUseBlock } from '@ravi/kernel';
import type { AgentRun } from '../loop/agent-run.ts';

/**
 * Settles a call of an interrupted run that is not made again: its journal has an outcome for it, and for each call inside it,
 * observers are notified of its end, because the process that made it may not have done that, and its files are files of the run.
 * @throws KernelError from the journal
 */
export async function settleCall(
  run: AgentRun,
  call: ToolUseBlock,
  outcome: InvocationResult,
  { items }: Listing<JournalItem>,
): Promise<void> {
  const recorded = items.filter((item) => item.type === 'call' && isCallWithin(item.entry.record.callId, call));
  const calls = recorded as readonly JournaledCall[];
  const own = calls.find(({ entry }) => entry.record.callId === call.id);
  for (const each of calls) {
    if (each.status === 'started' && mayHaveBegun(each))
      await recordUnknown(run, each, each === own && isUnknown(outcome) ? outcome : unknown(each));
  }
  for (const file of outcome.files) run.session.addFile(file);
  run.definition.invoker.hooks.emit({
    type: 'tool-result',
    ...run.session.scope,
    callId: call.id,
    tool: call.name,
    caller: call.caller ?? 'direct',
    argsPreview: own?.entry.record.argsPreview ?? previewOf(call.arguments),
    status: statusOf(own, outcome),
    durationMs: own?.status === 'finished' ? own.entry.record.durationMs : 0,
    ...(outcome.artifactRef === undefined ? {} : { artifactRef: outcome.artifactRef }),
    ...(outcome.error === undefined ? {} : { errorCode: outcome.error.code }),
    ...(own?.status === 'finished' ? { wasRecorded: true } : {}),
  });
}

async function recordUnknown(
  { journal, writer }: AgentRun,
  { entry }: JournaledCall,
  result: InvocationResult,
): Promise<void> {
  const record = { ...entry.record, status: 'unknown', errorCode: 'E_CALL_UNKNOWN' } as const;
  await journal?.finishEarlier({ ...entry, record, ...(writer === undefined ? {} : { writer }) }, result);
}

function isUnknown({ error }: InvocationResult): boolean {
  return error?.code === 'E_CALL_UNKNOWN';
}

function unknown({ entry: { record } }: JournaledCall): InvocationResult {
  const message = `The process ended while ${record.tool} was running. Its outcome is unknown, and it was not repeated`;
  return errorResult('E_CALL_UNKNOWN', message);
}

function statusOf(own: JournaledCall | undefined, outcome: InvocationResult): CallStatus {
  if (own?.status !== 'finished' || isUnknown(outcome)) return outcome.status;
  const { status } = own.entry.record;
  return status === 'unknown' || status === 'started' ? outcome.status : status;
}
