import { KernelError } from '@ravi/kernel';
import type { ModelReservation, PlannedModelUse } from '@ravi/kernel';
import { validUsage } from '@ravi/support';
import { spenderOf } from './gates/spend.ts';
import type { PendingCall } from './pending-call.ts';

/**
 * Reserves a request of a running call to a model in the budgets of its run and of the day.
 * @throws KernelError `E_BUDGET_EXHAUSTED` if not enough is left; nothing is reserved then
 * @throws TypeError for an estimate that is negative or not finite
 */
export async function reserveModel(pending: PendingCall, planned: PlannedModelUse): Promise<ModelReservation> {
  const { session, runtime, scope, name: tool } = pending;
  if (validUsage(planned.usage) === undefined) {
    throw new TypeError('The usage to reserve must have inputTokens and outputTokens, finite and not negative');
  }
  const ofRun = session.services?.reserveModel(planned);
  if (typeof ofRun === 'string') throw new KernelError('E_BUDGET_EXHAUSTED', ofRun);
  const { provider, model } = planned;
  let ofDay: ModelReservation | string | undefined;
  try {
    ofDay = await runtime.spending?.reserveModel(spenderOf(pending), planned);
    if (typeof ofDay === 'string') throw new KernelError('E_BUDGET_EXHAUSTED', ofDay);
  } catch (error) {
    ofRun?.settle({ provider, model });
    throw error;
  }
  const reserved: readonly (ModelReservation | undefined)[] = [ofRun, ofDay];
  let isSettled = false;
  return {
    settle(settled) {
      if (isSettled) return;
      isSettled = true;
      // A request without valid counts costs what was reserved for it.
      const usage = validUsage(settled.usage) ?? planned.usage;
      const use = settled.usage === undefined ? settled : { ...settled, usage };
      runtime.hooks.emit({ type: 'model-lent', ...scope, tool, ...use });
      for (const each of reserved) each?.settle(use);
    },
  };
}
