import type { JsonObject, JsonValue, ModelEvent, ModelStopReason } from '@ravi/kernel';
import {
  createAppendReader,
  createResponseDetails,
  createResponseBuilder,
  isJsonObject,
  modelError,
  textOrEmpty,
  wireBody,
  wireEvent,
} from '@ravi/provider-kit';
import type { ModelDecoder, WireObject } from '@ravi/provider-kit';
import { createBlockReader } from './block-reader.ts';
import { streamError } from './refusal.ts';
import { containerType } from './server-blocks.ts';
import { createUsageCounter } from './usage.ts';
import type { WireContext } from './wire-settings.ts';

/** Creates a decoder of Messages API responses, streamed or whole. */
export function createMessagesDecoder(context: WireContext, emit: (event: ModelEvent) => void): ModelDecoder {
  const builder = createResponseBuilder(context, emit);
  const blocks = createBlockReader(builder, context);
  const counter = createUsageCounter();
  const details = createResponseDetails();
  const appends = createAppendReader(['partial_json', 'text', 'thinking']);
  /** Index of the block of the last event. */
  let place = 0;
  let reason: string | undefined;
  let container: JsonObject | undefined;
  let responseId: string | undefined;
  let model: string | undefined;

  /** Reads message fields from the start, a delta, or a whole message. */
  const readMessage = (message: WireObject): void => {
    responseId = textOrEmpty(message['id']) || responseId;
    model = textOrEmpty(message['model']) || model;
    reason = textOrEmpty(message['stop_reason']) || reason;
    details.take(message, ['stop_details', 'stop_sequence', 'context_management']);
    if (isJsonObject(message['container'])) container = message['container'] as JsonObject;
  };

  const readUsage = (usage: unknown): void => {
    if (isJsonObject(usage)) details.take(usage, ['service_tier', 'inference_geo', 'server_tool_use']);
    const counts = counter.take(usage);
    if (counts !== undefined) builder.usage(counts);
  };

  const finish = (): void => {
    blocks.end(isWhole(reason));
    if (container !== undefined) {
      builder.block({ type: 'unknown', raw: { ...container, type: containerType }, source: context.source });
    }
    builder.finish(stopReasons[reason ?? ''] ?? 'other', {
      providerReason: reason,
      responseId,
      model,
      details: details.end(),
    });
  };

  const event = (type: unknown, wire: WireObject): void => {
    switch (type) {
      case 'content_block_start':
        return isJsonObject(wire['content_block'])
          ? blocks.start(place, wire['content_block'] as JsonObject)
          : undefined;
      case 'content_block_stop':
        return blocks.stop(place);
      case 'message_start': {
        if (!isJsonObject(wire['message'])) return undefined;
        blocks.restart();
        readMessage(wire['message']);
        return readUsage(wire['message']['usage']);
      }
      case 'message_delta':
        if (isJsonObject(wire['delta'])) readMessage(wire['delta']);
        return readUsage(wire['usage']);
      case 'message_stop':
        return finish();
      case 'error':
        return builder.fail(streamError(wire));
      default:
        // Proxies send errors in their own format.
        return isJsonObject(wire['error']) ? builder.fail(streamError(wire)) : undefined;
    }
  };

  return {
    event(data, name) {
      if (builder.isOver || data === '' || data === '[DONE]') return;
      const more = appends.read(data);
      if (more !== undefined) return blocks.append(place, more);
      const wire = wireEvent(data, builder);
      if (wire === undefined) return;
      const type = wire['type'] ?? name;
      place = Number(wire['index'] ?? 0);
      const isDelta = type === 'content_block_delta' && isJsonObject(wire['delta']);
      appends.learn(data, isDelta ? blocks.delta(place, wire['delta'] as WireObject) : undefined);
      if (!isDelta) event(type, wire);
    },
    body(value) {
      const message = wireBody(value, builder);
      if (message === undefined) return;
      if (message['type'] === 'error' || isJsonObject(message['error'])) return builder.fail(streamError(message));
      const { content } = message;
      if (!Array.isArray(content)) {
        return builder.fail(modelError('E_MODEL_PROTOCOL', 'The response has no content', true));
      }
      readMessage(message);
      readUsage(message['usage']);
      const whole = (content as readonly JsonValue[]).filter(isJsonObject) as readonly JsonObject[];
      for (const [at, block] of whole.entries()) {
        blocks.start(at, block);
        // The last block stays open, because the end of the response may have cut it.
        if (at < whole.length - 1) blocks.stop(at);
      }
      finish();
    },
    end() {
      if (builder.isOver) return;
      if (reason !== undefined) return finish();
      builder.fail(modelError('E_MODEL_TRUNCATED', 'The response ended before it was complete', true));
    },
  };
}

const stopReasons: Readonly<Record<string, ModelStopReason>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  tool_use: 'tool-use',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
  pause_turn: 'pause',
  compaction: 'pause',
};

/** Returns true if the model stopped on its own, so that its last block is complete. */
function isWhole(reason: string | undefined): boolean {
  return reason === 'tool_use' || reason === 'end_turn' || reason === 'pause_turn';
}
