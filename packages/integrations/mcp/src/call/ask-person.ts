import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { isKernelError } from '@ravi/kernel';
import type { ElicitationRequest, JsonSchema } from '@ravi/kernel';
import type { RunningCall } from './running-call.ts';

const maxQuestions = 10;
const maxMessageCharacters = 4_000;

/**
 * Asks the person for whom a call runs what the server wants to know. Without a call, or after too many questions, the answer is that
 * the person declines; without a person to ask, that there was no answer.
 */
export async function askPerson(call: RunningCall | undefined, params: ElicitRequest['params']): Promise<ElicitResult> {
  if (call === undefined || ++call.questions > maxQuestions) return { action: 'decline' };
  const { context, clock } = call;
  try {
    const result = await clock.without(context.elicit(requestOf(params)));
    if (result.action !== 'accept') return { action: result.action };
    return result.content === undefined
      ? { action: 'accept' }
      : { action: 'accept', content: result.content as NonNullable<ElicitResult['content']> };
  } catch (error) {
    if (isKernelError(error, 'E_UNSUPPORTED')) return { action: 'cancel' };
    throw error;
  }
}

function requestOf(params: ElicitRequest['params']): ElicitationRequest {
  const message = params.message.slice(0, maxMessageCharacters);
  if (params.mode === 'url') return { mode: 'url', message, url: params.url };
  return { mode: 'form', message, schema: params.requestedSchema as unknown as JsonSchema };
}
