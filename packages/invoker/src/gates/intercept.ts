import { deepFreeze, errorText } from '@ravi/support';
import type { InterceptedCall } from '@ravi/kernel';
import { restoreRefs } from '../content/places.ts';
import { shownCall } from '../content/shown-call.ts';
import type { GateOutcome, PendingCall } from '../pending-call.ts';
import { stopDenied } from '../error-results.ts';
import type { GateStop } from '../error-results.ts';
import type { CallGuard } from '../scope/session-limits.ts';
import { useArguments } from './content.ts';

/**
 * Lets interceptors deny the call or change its arguments, then asks the guards of the session. They see the arguments that
 * will run; changed arguments are read and validated like the original ones.
 */
export function interceptGate(pending: PendingCall): GateOutcome | Promise<GateOutcome> {
  if (!pending.runtime.hooks.intercepts && pending.session.guards.length === 0) return pending;
  return intercept(pending).then((stop) => stop ?? pending);
}

/** Asks every interceptor and guard about the current arguments. Returns the first refusal. */
export async function intercept(pending: PendingCall): Promise<GateStop | undefined> {
  for (const ask of pending.runtime.hooks.interceptors) {
    const shown = await shownCall(pending);
    if ('stop' in shown) return shown;
    const decision = await ask(shown);
    if (decision.action === 'deny') return stopDenied('E_TOOL_NOT_ALLOWED', `The call was denied: ${decision.reason}`);
    if (decision.action !== 'modify') continue;
    const stop = await useArguments(pending, restoreRefs(decision.args, shown.args, pending.content));
    if (stop !== undefined) return stop;
  }
  return askGuards(pending, pending.session.guards);
}

async function askGuards(pending: PendingCall, guards: readonly CallGuard[]): Promise<GateStop | undefined> {
  if (guards.length === 0) return undefined;
  const shown = await shownCall(pending);
  if ('stop' in shown) return shown;
  deepFreeze(shown);
  for (const guard of guards) {
    const reason = await ask(guard, shown, pending);
    if (reason !== undefined) return stopDenied('E_GUARDRAIL', `The call was stopped: ${reason}`);
  }
  return undefined;
}

// A guard may ask a model, which takes long, so only the end of the run ends the wait for it.
async function ask(guard: CallGuard, call: InterceptedCall, pending: PendingCall): Promise<string | undefined> {
  const { cancellation } = pending;
  cancellation.check();
  const cancelled = Promise.withResolvers<never>();
  const unsubscribe = cancellation.onCancel(() => cancelled.reject(cancellation.error));
  try {
    return await Promise.race([guard(call), cancelled.promise]);
  } catch (error) {
    cancellation.check();
    pending.runtime.logger.error('guard failed: the call is denied', { tool: call.tool, error: errorText(error) });
    return 'a guard failed';
  } finally {
    unsubscribe();
  }
}
