import type { RecordedEvent, RecordedEventData } from '@ravi/api';
import type { JsonObject, ModelUsage } from '@ravi/kernel';
import { shutdownMessage } from './event-stream.ts';
import type { EventFormat } from './event-stream.ts';
import { createReceivedText } from './shown-data.ts';
import { argumentsText, callItem, messageItem, textPart } from './responses-items.ts';
import type { OpenMessage } from './responses-items.ts';

/** Format of a run in OpenAI's Responses API: its events, and the response that they build. */
export interface ResponseFormat extends EventFormat {
  /** The response so far. */
  readonly response: JsonObject;
}

/**
 * Creates the format of a run. Each text between two calls becomes a message, and each call of the agent an MCP call that the
 * server made. Calls by scripts are not shown.
 */
export function responseFormat(run: { readonly id: string; readonly createdAt: number }): ResponseFormat {
  const output: JsonObject[] = [];
  const openCalls = new Map<string, number>();
  let item: OpenMessage | undefined;
  let number = 0;
  let messages = 0;
  let hasStarted = false;
  const received = createReceivedText();
  const initial: JsonObject = {
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
  let response = initial;

  function write(type: string, data: JsonObject): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...data })}\n\n`;
  }

  // A run that has paused begins again. After a crash it continues, and the text that was cut off is void.
  function begin(): string {
    received.discard();
    if (hasStarted && response['status'] === 'in_progress') return close();
    hasStarted = true;
    response = initial;
    return write('response.created', { response });
  }

  function open(): string {
    item = { id: `msg_${++messages}`, index: output.length, text: '' };
    output.push(messageItem(item, 'in_progress'));
    const { id: item_id, index: output_index } = item;
    return (
      write('response.output_item.added', { output_index, item: messageItem(item, 'in_progress') }) +
      write('response.content_part.added', { item_id, output_index, content_index: 0, part: textPart('') })
    );
  }

  function close(): string {
    if (item === undefined) return '';
    const { id: item_id, index: output_index, text } = item;
    const place = { item_id, output_index, content_index: 0 };
    const message = messageItem(item, 'completed');
    output[output_index] = message;
    item = undefined;
    return (
      write('response.output_text.done', { ...place, text, logprobs: [] }) +
      write('response.content_part.done', { ...place, part: textPart(text) }) +
      write('response.output_item.done', { output_index, item: message })
    );
  }

  function beginCall(data: RecordedEventData['tool-call']): string {
    const { callId: item_id } = data;
    const output_index = output.length;
    const call = callItem(data);
    openCalls.set(item_id, output_index);
    output.push(call);
    const place = { item_id, output_index };
    return (
      close() +
      write('response.output_item.added', { output_index, item: call }) +
      write('response.mcp_call.in_progress', place) +
      write('response.mcp_call_arguments.done', { ...place, arguments: argumentsText(data) })
    );
  }

  function endCall(data: RecordedEventData['tool-result']): string {
    const { callId: item_id } = data;
    const output_index = openCalls.get(item_id);
    if (output_index === undefined) return '';
    openCalls.delete(item_id);
    const call = callItem(data);
    output[output_index] = call;
    return (
      write(`response.mcp_call.${data.status === 'ok' ? 'completed' : 'failed'}`, {
        item_id,
        output_index,
      }) + write('response.output_item.done', { output_index, item: call })
    );
  }

  function end(data: RecordedEventData['run-end']): string {
    const message = data.error?.message;
    const usage = usageOf(data.usage);
    if (message === undefined) return finish({ status: 'completed', usage });
    return finish({ status: 'failed', usage, error: { code: 'server_error', message } });
  }

  // A response has no state for an open question or approval; the run continues without its client.
  function pause({ reason = 'question', usage }: RecordedEventData['run-paused']): string {
    return finish({ status: 'incomplete', usage: usageOf(usage), incomplete_details: { reason } });
  }

  function interrupted(): string {
    const error = { code: 'server_error', message: shutdownMessage };
    return response['status'] === 'in_progress' ? finish({ status: 'failed', error }) : '';
  }

  function finish(ended: JsonObject & { readonly status: string }): string {
    const closed = close();
    response = { ...response, output, ...ended };
    return closed + write(`response.${ended.status}`, { response });
  }

  function addText(delta: string): string {
    if (delta === '') return '';
    const opened = item === undefined ? open() : '';
    if (item === undefined) return opened;
    item.text += delta;
    const { id: item_id, index: output_index } = item;
    return (
      opened + write('response.output_text.delta', { item_id, output_index, content_index: 0, delta, logprobs: [] })
    );
  }

  function frame({ type, data }: RecordedEvent): string {
    if (type === 'run-start') return begin();
    if (type === 'step-start' || type === 'step-end') return close();
    const isOwn = data.parentId === undefined;
    if (type === 'tool-call') return isOwn ? beginCall(data) : '';
    if (type === 'tool-result') return isOwn ? endCall(data) : '';
    if (type === 'run-end') return end(data);
    if (type === 'run-paused') return pause(data);
    // The text of the failed attempt is void.
    if (type === 'model-retry') {
      received.discard();
      if (item !== undefined) item.text = '';
    }
    if (type === 'model-text') return addText(received.complete(data.text));
    if (type !== 'model-delta') return '';
    received.add(data.text);
    return addText(data.text);
  }

  return {
    frame,
    interrupted,
    get response() {
      return response;
    },
  };
}

const prefix = 'resp_';

/** Returns the id of a response, which contains the id of its run. */
function responseIdOf(runId: string): string {
  return `${prefix}${runId}`;
}

/** Returns the run id of a response; empty if the response id is invalid. */
export function runIdOf(responseId: string): string {
  return responseId.startsWith(prefix) ? responseId.slice(prefix.length) : '';
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
