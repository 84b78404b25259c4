import type { JsonObject, ModelUsage } from '@ravi/kernel';
import type { RunEvent } from '../runs/run-event.ts';
import type { EventFormat } from './event-stream.ts';

/** A run in the form of OpenAI's Responses: as its events, and as the response that they come to. */
export interface ResponseFormat extends EventFormat {
  /** The response as far as it has come. */
  readonly response: JsonObject;
}

interface OpenItem {
  readonly id: string;
  readonly index: number;
  text: string;
}

/** Writes each text between two calls as a message of its own. Calls of tools stay inside of the server. */
export function responseFormat(run: { readonly id: string; readonly createdAt: number }): ResponseFormat {
  const output: JsonObject[] = [];
  let item: OpenItem | undefined;
  let number = 0;
  let response: JsonObject = {
    id: responseIdOf(run.id),
    object: 'response',
    created_at: Math.floor(run.createdAt / 1_000),
    status: 'in_progress',
    model: 'ravi',
    output: [],
    error: null,
    incomplete_details: null,
    metadata: {},
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
  };

  function say(type: string, data: JsonObject): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...data })}\n\n`;
  }

  function open(sequence: number): string {
    item = { id: `msg_${sequence}`, index: output.length, text: '' };
    const { id: item_id, index: output_index } = item;
    return (
      say('response.output_item.added', { output_index, item: messageOf(item, 'in_progress') }) +
      say('response.content_part.added', { item_id, output_index, content_index: 0, part: textPart('') })
    );
  }

  function close(): string {
    if (item === undefined) return '';
    const { id: item_id, index: output_index, text } = item;
    const place = { item_id, output_index, content_index: 0 };
    const message = messageOf(item, 'completed');
    output.push(message);
    item = undefined;
    return (
      say('response.output_text.done', { ...place, text, logprobs: [] }) +
      say('response.content_part.done', { ...place, part: textPart(text) }) +
      say('response.output_item.done', { output_index, item: message })
    );
  }

  function end(data: JsonObject): string {
    const closed = close();
    const { message } = (data['error'] ?? {}) as { readonly message?: string };
    const status = message === undefined ? 'completed' : 'failed';
    const error = message === undefined ? null : { code: 'server_error', message };
    const usage = usageOf(data['usage'] as unknown as ModelUsage | undefined);
    response = { ...response, status, output, error, usage };
    return closed + say(`response.${status}`, { response });
  }

  function frame({ type, sequence, data }: RunEvent): string {
    if (type === 'run' && data['status'] === 'running') return say('response.created', { response });
    if (type === 'tool-call' || type === 'step') return close();
    if (type === 'run-ended') return end(data);
    if (type !== 'model-delta') return '';
    const delta = data['text'] as string;
    const opened = item === undefined ? open(sequence) : '';
    if (item === undefined) return opened;
    item.text += delta;
    const { id: item_id, index: output_index } = item;
    return opened + say('response.output_text.delta', { item_id, output_index, content_index: 0, delta, logprobs: [] });
  }

  return {
    frame,
    get response() {
      return response;
    },
  };
}

const prefix = 'resp_';

/** The id of a response is that of its run. */
function responseIdOf(runId: string): string {
  return `${prefix}${runId}`;
}

/** The run of a response; of no run when the id is none. */
export function runIdOf(responseId: string): string {
  return responseId.startsWith(prefix) ? responseId.slice(prefix.length) : '';
}

function messageOf({ id, text }: OpenItem, status: 'in_progress' | 'completed'): JsonObject {
  return { type: 'message', id, role: 'assistant', status, content: status === 'completed' ? [textPart(text)] : [] };
}

function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function usageOf(usage: ModelUsage | undefined): JsonObject {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, reasoningTokens = 0 } = usage ?? {};
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
