import type { Cancellation } from '@ravi/invoker/internal';
import { KernelError, textOf } from '@ravi/kernel';
import type { ContentBlock, ModelEvent, ModelRequest, ToolModelAnswer } from '@ravi/kernel';
import { addUsage } from '../agent/usage.ts';
import { readResponse } from '../conversation/model-response.ts';
import type { AgentRun } from './agent-run.ts';
import { streamModel } from './stream-model.ts';

/**
 * Asks the model of a run once, apart from its conversation and within its budget. It does not repeat the request.
 * @throws KernelError `E_BUDGET_EXHAUSTED`, or the code of the model's error
 */
export async function askOnce(
  run: AgentRun,
  request: ModelRequest,
  cancellation: Cancellation,
): Promise<ToolModelAnswer> {
  const model = request.model ?? run.definition.model.id;
  const estimate = run.conversation.estimate.of(request);
  const reservation = run.budget?.reserve(estimate, model);
  if (typeof reservation === 'string') throw new KernelError('E_BUDGET_EXHAUSTED', reservation);
  const response = await readResponse(() => streamModel(run, request), cancellation, blockOf);
  reservation?.settle(response.usedBy(estimate.inputTokens), response.model);
  run.usage = addUsage(run.usage, response.usage);
  const { error, blocks, usage } = response;
  if (error !== undefined) throw new KernelError(error.code, error.message, { retryable: error.retryable });
  return { text: textOf(blocks), usage };
}

function blockOf(event: ModelEvent): ContentBlock | undefined {
  return event.type === 'block' ? event.block : undefined;
}
