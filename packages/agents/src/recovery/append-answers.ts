import { isKernelError } from '@ravi/kernel';
import type { JsonObject } from '@ravi/kernel';
import { snapshotOf } from '../agent/run-snapshot.ts';
import { appendMessage } from '../conversation/conversation.ts';
import type { Answers, PauseState } from '../conversation/pause.ts';
import type { AgentRun } from '../loop/agent-run.ts';

/**
 * Stores the answers to the questions of a paused run. Those of its sub-agents are kept for them. If the store is unavailable, the
 * questions stay open and the answers can be sent again.
 */
export async function appendAnswers(
  run: AgentRun,
  { answers, state }: { readonly answers: Answers; readonly state: PauseState },
): Promise<void> {
  const { message, ofSubAgents } = answers;
  const paused = { ...state, messages: [...run.messages] };
  try {
    await appendMessage(run, message, detailsOf(run, ofSubAgents));
    run.answers = { ...run.answers, ...ofSubAgents };
  } catch (failure) {
    if (!isKernelError(failure) || !failure.retryable) throw failure;
    const { code, message: text, retryable } = failure;
    run.end({ status: 'paused', reason: 'question', paused, error: { code, message: text, retryable } });
  }
}

function detailsOf(run: AgentRun, answers: Answers['ofSubAgents']): JsonObject | undefined {
  return Object.keys(answers).length === 0 ? snapshotOf(run) : { answers, ...snapshotOf(run) };
}
