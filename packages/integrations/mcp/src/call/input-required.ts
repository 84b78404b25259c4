import type { CreateMessageRequest, CreateMessageResult, InputRequiredResult } from '@modelcontextprotocol/client';
import { isSpecType } from '@modelcontextprotocol/client';
import { KernelError } from '@ravi/kernel';
import { shown } from '../connection/describe-failure.ts';
import { askPerson } from './ask-person.ts';
import type { RunningCall } from './running-call.ts';

const maxRequests = 10;

/** Lets a server use a model during a call. */
export type SampleModel = (
  params: CreateMessageRequest['params'],
  call: RunningCall | undefined,
) => Promise<CreateMessageResult>;

/**
 * Returns what the next attempt of a call adds to its arguments: the answers to the requests of the server, and its own state, as it was.
 * @throws KernelError `E_TOOL_FAILED` for a request of another kind
 */
export async function fulfil(
  { inputRequests = {}, requestState }: InputRequiredResult,
  call: RunningCall,
  sample: SampleModel | undefined,
): Promise<object> {
  const requests = Object.entries(inputRequests);
  if (requests.length > maxRequests)
    throw new KernelError('E_TOOL_FAILED', `The MCP server asked for more than ${maxRequests} inputs at once`);
  const inputResponses: Record<string, object> = {};
  for (const [key, request] of requests) {
    const answer = await answerTo(request, call, sample);
    // Not an assignment: a key may be `__proto__`.
    Object.defineProperty(inputResponses, key, { value: answer, enumerable: true });
  }
  return {
    ...(requests.length === 0 ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

async function answerTo(request: unknown, call: RunningCall, sample: SampleModel | undefined): Promise<object> {
  if (isSpecType.ElicitRequest(request)) return askPerson(call, request.params);
  if (isSpecType.CreateMessageRequest(request)) {
    if (sample === undefined) throw new KernelError('E_TOOL_FAILED', 'The MCP server may not use a model');
    return sample(request.params, call);
  }
  const { method } = (request ?? {}) as { readonly method?: unknown };
  throw new KernelError(
    'E_TOOL_FAILED',
    `The MCP server asked for something else than input: ${shown(JSON.stringify(method))}`,
  );
}
