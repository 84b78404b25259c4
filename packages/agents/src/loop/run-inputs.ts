import { textBlock } from '@ravi/kernel';
import type { RunInput } from '@ravi/kernel';
import { snapshotOf } from '../agent/run-snapshot.ts';
import { appendMessage } from '../conversation/conversation.ts';
import { waitForStore } from '../conversation/wait-for-store.ts';
import type { AgentRun } from './agent-run.ts';

/**
 * Appends the inputs that users have sent to a run to its conversation, in their order. Each is stored together with its number, so
 * a process that recovers the run reads it from the conversation, or from the store of inputs, and never from both. Resolves with
 * `true` if there was one.
 * @throws KernelError of the stores, `E_CANCELLED` if the lease is lost
 */
export async function readInputs(run: AgentRun): Promise<boolean> {
  const { inputs } = run.definition;
  if (inputs === undefined || run.lease === undefined) return false;
  const after = run.conversation.lastInput;
  const unread = await waitForStore(run, () => inputs.list(run.runId, after));
  for (const input of unread) await appendInput(run, input);
  return unread.length > 0;
}

/** True if a user has sent an input to a run that has not been read. */
export async function hasUnreadInput(run: AgentRun): Promise<boolean> {
  const { inputs } = run.definition;
  if (inputs === undefined || run.lease === undefined) return false;
  return (await waitForStore(run, () => inputs.list(run.runId, run.conversation.lastInput))).length > 0;
}

// The event first: the record of a run then has every input that its conversation has.
async function appendInput(run: AgentRun, { id: inputId, text, number }: RunInput): Promise<void> {
  run.notify({ type: 'run-input', ...run.session.scope, inputId, text });
  const details = { ...snapshotOf(run), input: number };
  await appendMessage(run, { role: 'user', content: [textBlock(text)] }, details);
}
