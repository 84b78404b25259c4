import { errorResult } from '@ravi/invoker/internal';
import { KernelError } from '@ravi/kernel';
import type { InvocationResult, JournaledCall, JournalItem, Listing, ToolUseBlock } from '@ravi/kernel';

/**
 * What became of calls whose process ended, by the journal of their run: the outcome that is on record, `E_CALL_UNKNOWN`
 * for one that began and has none, or inside of which another began, and `undefined` for one that can be made again since
 * nothing with side effects has begun in it. Where sub-agents were at work (`hadChildren`) nothing is made again: their
 * calls are on record elsewhere.
 * @throws KernelError `E_STATE_CORRUPT` when the journal is damaged
 */
export function createLostOutcomes(
  runId: string,
  { items, corrupt }: Listing<JournalItem>,
  { hadChildren }: { readonly hadChildren: boolean },
): (call: ToolUseBlock) => InvocationResult | undefined {
  const [damage] = corrupt;
  if (damage !== undefined) {
    throw new KernelError('E_STATE_CORRUPT', 'What the calls of this run came to cannot be read', { cause: damage });
  }
  const calls = items.filter((item) => item.type === 'call');
  return ({ id, name }) => {
    const own = calls.find(({ entry }) => entry.idempotencyKey === `${runId}:${id}`);
    if (own !== undefined && hasOutcome(own)) return own.result;
    const inner = calls.filter(({ entry }) => entry.record.callId.startsWith(`${id}.`));
    if (own === undefined && inner.length === 0 && !hadChildren) return undefined;
    return errorResult('E_CALL_UNKNOWN', unknownText(name, inner));
  };
}

// Whether a cancelled call had its effect is not known.
function hasOutcome({ status, entry }: JournaledCall): boolean {
  return status === 'finished' && entry.record.status !== 'cancelled';
}

function unknownText(name: string, inner: readonly JournaledCall[]): string {
  const parts = inner.map(
    (call) => `${call.entry.record.tool}: ${hasOutcome(call) ? call.entry.record.status : 'unknown'}`,
  );
  const within = parts.length === 0 ? '' : ` Calls inside of it that are on record: ${parts.join(', ')}.`;
  return (
    `The process ended while ${name} ran, and what it came to is unknown; it was not repeated.${within} ` +
    'Look at what has happened before you call it again'
  );
}
