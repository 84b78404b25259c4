import { isLocalTool } from '@ravi/kernel';
import type { CheckContext } from '@ravi/kernel';
import { stopWithError } from '../error-results.ts';
import type { GateStop } from '../error-results.ts';
import { askTool } from '../ask-tool.ts';
import type { PendingCall } from '../pending-call.ts';
import { readThrown } from '../result/read-tool-result.ts';

/**
 * Lets the tool check a call that people are about to be asked about. Returns a refusal with the error of the tool.
 * @throws KernelError `E_CANCELLED` when the run is cancelled during the check
 */
export async function checkCall(pending: PendingCall): Promise<GateStop | undefined> {
  const { tool, args, session, cancellation } = pending;
  if (!isLocalTool(tool) || tool.checkCall === undefined) return undefined;
  try {
    await askTool(pending, `checkCall of ${pending.name}`, (context) => {
      const { scratchpad } = session;
      const more: Pick<CheckContext, 'agent' | 'scratchpad'> = {
        agent: session.agent,
        scratchpad: { get: (key) => scratchpad.get(key), keys: () => scratchpad.keys() },
      };
      return tool.checkCall?.(args, { ...context, ...more });
    });
    return undefined;
  } catch (error) {
    cancellation.check();
    const failure = readThrown(pending, error);
    return stopWithError(failure.code, failure.message, failure);
  }
}
