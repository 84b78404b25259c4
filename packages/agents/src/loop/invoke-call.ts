import type { InvokerSession } from '@ravi/invoker';
import { isInvocationResult, errorResult } from '@ravi/invoker/internal';
import type { InvocationResult, ToolUseBlock } from '@ravi/kernel';
import { errorText } from '@ravi/support';
import type { AgentContext } from '../agent/agent-context.ts';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import { wrapTool } from '../agent/middleware.ts';
import { RunJournal } from './run-journal.ts';

/** Parts of a run that a call of its model needs. */
export interface Caller extends AgentContext {
  readonly definition: Pick<AgentDefinition, 'invoker' | 'middleware' | 'logger'>;
  readonly session: InvokerSession;
}

/** Makes one call of the model: middleware, then the invoker. Rejects only when the run or the call is cancelled. */
export function invokeCall(
  run: Caller,
  call: ToolUseBlock,
  signal: AbortSignal | undefined,
): Promise<InvocationResult> {
  const { middleware } = run.definition;
  if (middleware.length === 0) return invoke(run, call, call.id, signal);
  let attempts = 0;
  // Each attempt is a call of its own, with its own approval and its own record.
  const core = (made: ToolUseBlock): Promise<InvocationResult> =>
    invoke(run, made, ++attempts === 1 ? call.id : `${call.id}.attempt_${attempts}`, signal);
  return guarded(run, call, wrapTool(middleware, run, core), signal);
}

function invoke(
  { definition, session }: Caller,
  { name, arguments: args, callType: type, caller }: ToolUseBlock,
  callId: string,
  signal: AbortSignal | undefined,
): Promise<InvocationResult> {
  const { journal, runId } = session;
  const interrupted = journal instanceof RunJournal ? journal.interrupted(runId, callId) : undefined;
  return definition.invoker.invoke({ name, args, callId, type }, { session, caller, signal, interrupted });
}

async function guarded(
  { definition, session }: Caller,
  call: ToolUseBlock,
  wrapped: (call: ToolUseBlock) => Promise<InvocationResult>,
  signal: AbortSignal | undefined,
): Promise<InvocationResult> {
  try {
    const result: unknown = await wrapped(call);
    if (isInvocationResult(result)) return result;
    throw new TypeError('tool middleware must return an InvocationResult');
  } catch (error) {
    if (session.cancellation.isCancelled || signal?.aborted === true) throw error;
    definition.logger.error('tool middleware failed', { tool: call.name, error: errorText(error) });
    return errorResult('E_INTERNAL', `The call of ${call.name} failed with an internal error`);
  }
}
