import { KernelError } from '@ravi/kernel';
import type { ModelReservation, PlannedModelUse } from '@ravi/kernel';
import { spenderOf } from './gates/spend.ts';
import type { PendingCall } from './pending-call.ts';

/**
 * Reserves a request of a running call to a model in the budgets of its run and of the day.
 * @throws KernelError `E_BUDGET_EXHAUSTED` if not enough is left; nothing is reserved then
 */
export async function reserveModel(pending: PendingCall, planned: PlannedModelUse): Promise<ModelReservation> {
  const { session, runtime, scope, name: tool } = pending;
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
    settle(use) {
      if (isSettled) return;
      isSettled = true;
      runtime.hooks.emit({ type: 'model-lent', ...scope, tool, ...use });
      for (const each of reserved) each?.settle(use);
    },
  };
}
