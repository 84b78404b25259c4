import { isHostedTool, isKernelError } from '@ravi/kernel';
import type { Journal } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import { journalEntry, recordOf } from '../call-record.ts';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopWithError } from '../error-results.ts';

/** Records a call before it starts, unless its tool declares it `safe`; a call that cannot be recorded does not start. */
export function journalGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  const { journal } = pending;
  if (journal === undefined || isSafe(pending)) return pending;
  return writeStarted(pending, journal);
}

async function writeStarted(pending: PendingCall, journal: Journal): Promise<GateOutcome> {
  try {
    await journal.started(journalEntry(pending, recordOf(pending, 'started', 0)));
  } catch (error) {
    pending.runtime.logger.error('journal refused a call', { tool: pending.name, error: errorText(error) });
    const isUnavailable = isKernelError(error, 'E_STATE_UNAVAILABLE');
    return stopWithError(
      isUnavailable ? 'E_STATE_UNAVAILABLE' : 'E_INTERNAL',
      `The call of ${pending.name} could not be written to the journal, so it was not started`,
      { retryable: isUnavailable },
    );
  }
  pending.isJournaled = true;
  return pending;
}

// A tool that declares nothing may have side effects, even if the policy lets it run unasked.
function isSafe({ tool, risk }: PendingCall): boolean {
  return isHostedTool(tool) || (tool.risk === 'safe' && risk === 'safe');
}
