import { isHostedTool, isKernelError, isLocalTool, KernelError } from '@ravi/kernel';
import type { Journal } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import { journalEntry, recordOf } from '../call-record.ts';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopWithError } from '../error-results.ts';

/**
 * Records a call before it starts, unless its tool declares it `safe` or records the start itself; a call that cannot be recorded
 * does not start.
 */
export function journalGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  const { journal } = pending;
  if (pending.earlierResult !== undefined) return pending;
  if (journal === undefined || isSafe(pending) || beginsLate(pending)) return pending;
  return passOnceWritten(pending, journal);
}

async function passOnceWritten(pending: PendingCall, journal: Journal): Promise<GateOutcome> {
  const error = (await pending.recordOuter?.()) ?? (await writeStarted(pending, journal));
  if (error === undefined) return pending;
  return stopWithError(error.code, error.message, { retryable: error.retryable });
}

/** True for a call that does not begin before its tool says so. */
export function beginsLate({ tool }: PendingCall): boolean {
  return isLocalTool(tool) && tool.beginsLate === true;
}

/**
 * Records the start of a call whose tool has `beginsLate`, once. If the call is cancelled meanwhile, its end waits for that.
 * @throws KernelError `E_STATE_UNAVAILABLE` or `E_INTERNAL`; the call must then not begin
 */
export async function recordBeginning(pending: PendingCall): Promise<void> {
  if (isSafe(pending)) return;
  const error = await recordOnce(pending);
  if (error !== undefined) throw error;
}

/**
 * Records the start of a running call, if that has not happened, before a call inside it is recorded: otherwise a process that
 * continues the run would make a `safe` call again, and the calls inside it with it. Returns the error if it could not be recorded.
 */
export async function recordOuter(pending: PendingCall): Promise<KernelError | undefined> {
  return (await pending.recordOuter?.()) ?? recordOnce(pending);
}

/**
 * Records the start of a running call, also of a `safe` one, before another system can end it.
 * @throws KernelError `E_STATE_UNAVAILABLE` or `E_INTERNAL`
 */
export async function recordStart(pending: PendingCall): Promise<void> {
  const error = await recordOuter(pending);
  if (error !== undefined) throw error;
}

async function recordOnce(pending: PendingCall): Promise<KernelError | undefined> {
  const { journal } = pending;
  if (journal === undefined || pending.isJournaled) return undefined;
  pending.beginning ??= writeStarted(pending, journal);
  const error = await pending.beginning;
  if (error !== undefined) pending.beginning = undefined;
  return error;
}

async function writeStarted(pending: PendingCall, journal: Journal): Promise<KernelError | undefined> {
  try {
    await journal.started(journalEntry(pending, recordOf(pending, 'started', 0)));
  } catch (error) {
    pending.runtime.logger.error('journal refused a call', { tool: pending.name, error: errorText(error) });
    const isUnavailable = isKernelError(error, 'E_STATE_UNAVAILABLE');
    return new KernelError(
      isUnavailable ? 'E_STATE_UNAVAILABLE' : 'E_INTERNAL',
      `The call of ${pending.name} could not be written to the journal, so it was not started`,
      { retryable: isUnavailable },
    );
  }
  pending.isJournaled = true;
  return undefined;
}

/**
 * Records that a call which was cancelled between its record and its beginning did not begin, so that the process that continues the
 * run makes it again. Without that record its outcome would be unknown.
 */
export async function withdrawUnlessBegun(pending: PendingCall): Promise<void> {
  await pending.beginning;
  const { journal, session, hasBegun, isJournaled } = pending;
  if (journal === undefined || !isJournaled || hasBegun) return;
  if (session.lease === undefined || session.lease.isLost) return;
  try {
    await journal.started({ ...journalEntry(pending, recordOf(pending, 'started', 0)), isWithdrawn: true });
    pending.isJournaled = false;
  } catch (error) {
    pending.runtime.logger.warn('journal lost that a call did not begin', {
      tool: pending.name,
      error: errorText(error),
    });
  }
}

function isSafe(pending: PendingCall): boolean {
  return isHostedTool(pending.tool) || isDeclaredSafe(pending);
}

/** True for a call of a tool that declares it `safe`. One that declares nothing may have side effects, even if it runs unasked. */
export function isDeclaredSafe({ tool, risk }: PendingCall): boolean {
  return !isHostedTool(tool) && tool.risk === 'safe' && risk === 'safe';
}
