import type { JsonObject, ModelEvent } from '@ravi/kernel';
import {
  createResponseBuilder,
  createAppendReader,
  createResponseDetails,
  isJsonObject,
  listOf,
  modelError,
  textOrNothing,
  wireBody,
  wireEvent,
} from '@ravi/provider-kit';
import type { ModelDecoder, OpenCall, WireObject } from '@ravi/provider-kit';
import { openCall } from '../open-call.ts';
import { volatileFields } from '../wire-settings.ts';
import { streamError } from '../refusal.ts';
import { usageOf } from '../usage.ts';
import type { WireContext } from '../wire-settings.ts';
import { argumentsCut, callName, endCall, endMessage, endReasoning, idOf, isBare, keptOf } from './items.ts';
import { pictureBlocks } from './pictures.ts';

/** Creates a decoder of Responses API responses, streamed or whole. */
export function createResponsesDecoder(context: WireContext, emit: (event: ModelEvent) => void): ModelDecoder {
  const builder = createResponseBuilder(context, emit);
  const appends = createAppendReader(['delta'], volatileFields);
  const details = createResponseDetails();
  const calls = new Map<number, OpenCall>();
  const finished = new Set<number>();
  /** Calls without arguments or status: only the end of the response shows if they are complete. */
  const bare: { readonly call: OpenCall; readonly item: WireObject }[] = [];
  /** True if the response was cut; unknown before its end. */
  let isCut: boolean | undefined;
  /** Open messages and how many of their parts are closed. */
  const messages = new Map<number, { readonly item: WireObject; closed: number }>();
  /** Index of the item whose text is streamed; the text of a second concurrent item is emitted at its end. */
  let streaming: number | undefined;
  /** Type and item index of the last event. */
  let last: { readonly type: unknown; readonly at: number } = { type: undefined, at: 0 };
  let sawRefusal = false;

  const startItem = (at: number, item: WireObject): void => {
    if (item['type'] === 'message' && !messages.has(at)) messages.set(at, { item, closed: 0 });
    const name = callName(item, context);
    if (name === undefined || calls.has(at) || finished.has(at)) return;
    calls.set(at, openCall(builder, { id: idOf(item), wireName: name }));
  };

  const endItem = (at: number, item: WireObject): void => {
    if (finished.has(at)) return;
    startItem(at, item);
    finished.add(at);
    const call = calls.get(at);
    if (call !== undefined && isCut === undefined && isBare(call, item)) return void bare.push({ call, item });
    if (call !== undefined) return endCall(call, item, context, isCut);
    const wasStreamed = streaming === at;
    if (wasStreamed) streaming = undefined;
    // Checked even if its text was streamed.
    sawRefusal ||= listOf(item['content']).some(({ refusal }) => textOrNothing(refusal) !== undefined);
    for (const part of listOf(item['content'])) details.take(part, ['annotations', 'logprobs']);
    if (item['type'] === 'message') return endMessage(builder, item, messages.get(at)?.closed ?? 0);
    if (item['type'] === 'reasoning') return endReasoning(builder, item, wasStreamed);
    const { source } = context;
    const blocks = pictureBlocks(item, source) ?? [{ type: 'unknown', raw: item as JsonObject, source }];
    for (const block of blocks) builder.block(block);
    return undefined;
  };

  const write = (at: number, kind: 'text' | 'reasoning', delta: unknown): void => {
    if (typeof delta !== 'string' || finished.has(at)) return;
    streaming ??= at;
    if (streaming === at) builder[kind](delta);
  };

  const endPart = (at: number, part: unknown): void => {
    const message = messages.get(at);
    if (message === undefined || streaming !== at || !isJsonObject(part)) return;
    if (builder.closeText(keptOf(message.item, part))) message.closed++;
  };

  const finish = (response: WireObject): void => {
    const output = listOf(response['output']);
    const status = textOrNothing(response['status']) ?? 'completed';
    isCut = status !== 'completed';
    for (const { call, item } of bare) endCall(call, item, context, isCut);
    // The end repeats the whole output or omits it; items that were not streamed are read from it.
    if (finished.size < output.length) output.forEach((item, at) => endItem(at, item));
    const usage = usageOf(response['usage']);
    if (usage !== undefined) builder.usage(usage);
    details.take(response, ['service_tier']);
    if (isJsonObject(response['usage'])) details.take(response['usage'], ['cost', 'cost_details', 'cost_in_usd_ticks']);
    if (status === 'failed') return builder.fail(streamError({ error: response['error'] }));
    if (unfinishedStatuses.has(status)) {
      return builder.fail(
        modelError('E_MODEL_TRUNCATED', `The response ${idIn(response)}is not complete: its status is ${status}`, true),
      );
    }
    for (const call of calls.values()) call.end({ whole: argumentsCut(call.text) });
    const why = (response['incomplete_details'] as WireObject | null | undefined)?.['reason'];
    const end = {
      providerReason: typeof why === 'string' ? why : status,
      responseId: textOrNothing(response['id']),
      model: textOrNothing(response['model']),
      details: details.end(),
    };
    if (status === 'incomplete') return builder.finish(why === 'content_filter' ? 'refusal' : 'length', end);
    if (isCut) return builder.finish('other', end);
    return builder.finish(builder.hasCalls ? 'tool-use' : sawRefusal ? 'refusal' : 'end', end);
  };

  const event = (type: unknown, at: number, wire: WireObject): void => {
    switch (type) {
      case 'response.output_text.delta':
        return write(at, 'text', wire['delta']);
      case 'response.refusal.delta':
        sawRefusal = true;
        return write(at, 'text', wire['delta']);
      case 'response.reasoning_summary_part.added':
        return Number(wire['summary_index']) > 0 ? write(at, 'reasoning', '\n\n') : undefined;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return write(at, 'reasoning', wire['delta']);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return typeof wire['delta'] === 'string' ? calls.get(at)?.append(wire['delta']) : undefined;
      case 'response.content_part.done':
        return endPart(at, wire['part']);
      case 'response.output_item.added':
        return isJsonObject(wire['item']) ? startItem(at, wire['item']) : undefined;
      case 'response.output_item.done':
        return isJsonObject(wire['item']) ? endItem(at, wire['item']) : undefined;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed': {
        const response = isJsonObject(wire['response']) ? wire['response'] : {};
        const status = textOrNothing(response['status']);
        // Some servers repeat the response in its initial state.
        const isOld = status === undefined || status === 'queued' || status === 'in_progress';
        return finish(isOld ? { ...response, status: type.slice('response.'.length) } : response);
      }
      case 'error':
        return builder.fail(streamError(wire));
      default:
        return undefined;
    }
  };

  return {
    event(data, name) {
      if (builder.isOver || data === '' || data === '[DONE]') return undefined;
      const delta = appends.read(data);
      if (delta !== undefined) return event(last.type, last.at, { delta });
      const wire = wireEvent(data, builder);
      if (wire === undefined) return undefined;
      last = { type: wire['type'] ?? name, at: Number(wire['output_index'] ?? 0) };
      appends.learn(data, isDelta(wire) ? wire['delta'] : undefined);
      return event(last.type, last.at, wire);
    },
    body(value) {
      const response = wireBody(value, builder);
      if (response === undefined) return undefined;
      if (!Array.isArray(response['output'])) {
        if (isJsonObject(response['error'])) return builder.fail(streamError(response));
        return builder.fail(modelError('E_MODEL_PROTOCOL', 'The response has no output', true));
      }
      return finish(response);
    },
    end() {
      if (builder.isOver) return;
      builder.fail(modelError('E_MODEL_TRUNCATED', 'The response ended before it was complete', true));
    },
  };
}

function idIn({ id }: WireObject): string {
  return typeof id === 'string' ? `${id} ` : '';
}

/** Statuses of a response that is unfinished or cancelled. */
const unfinishedStatuses: ReadonlySet<string> = new Set(['queued', 'in_progress', 'cancelled']);

/** Returns true if an event only adds to a text, by its own type. */
function isDelta(wire: WireObject): wire is WireObject & { readonly type: string; readonly delta: string } {
  return typeof wire['type'] === 'string' && wire['type'].endsWith('.delta') && typeof wire['delta'] === 'string';
}
