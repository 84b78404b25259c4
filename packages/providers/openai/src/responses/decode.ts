import type { JsonObject, ModelEvent } from '@ravi/kernel';
import {
  createResponseBuilder,
  createAppendReader,
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

/** Reads the answers of the Responses interface, streamed or whole. */
export function createResponsesDecoder(context: WireContext, emit: (event: ModelEvent) => void): ModelDecoder {
  const builder = createResponseBuilder(context, emit);
  const appends = createAppendReader(['delta'], volatileFields);
  const calls = new Map<number, OpenCall>();
  const finished = new Set<number>();
  /** Calls of which only the end of the answer shows whether they are whole. */
  const bare: { readonly call: OpenCall; readonly item: WireObject }[] = [];
  /** Whether the answer was cut; nobody knows before its end. */
  let isCut: boolean | undefined;
  /** Messages that are being written, and how many of their parts are closed. */
  const messages = new Map<number, { readonly item: WireObject; closed: number }>();
  /** The item whose text is being streamed; of two at once the second waits for its end. */
  let streaming: number | undefined;
  /** What the last event was, and of which item. */
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
    // Whether or not its text was streamed.
    sawRefusal ||= listOf(item['content']).some(({ refusal }) => textOrNothing(refusal) !== undefined);
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
    // The whole output comes again at the end, or not at all; what was not streamed by then is taken from it.
    if (finished.size < output.length) output.forEach((item, at) => endItem(at, item));
    const usage = usageOf(response['usage']);
    if (usage !== undefined) builder.usage(usage);
    if (status === 'failed') return builder.fail(streamError({ error: response['error'] }));
    if (unfinishedStatuses.has(status)) {
      return builder.fail(modelError('E_MODEL_TRUNCATED', `The answer has no end: its status is ${status}`, true));
    }
    for (const call of calls.values()) call.end({ whole: argumentsCut(call.text) });
    const why = (response['incomplete_details'] as WireObject | null | undefined)?.['reason'];
    const said = {
      providerReason: typeof why === 'string' ? why : status,
      responseId: textOrNothing(response['id']),
      model: textOrNothing(response['model']),
    };
    if (status === 'incomplete') return builder.finish(why === 'content_filter' ? 'refusal' : 'length', said);
    if (isCut) return builder.finish('other', said);
    return builder.finish(builder.hasCalls ? 'tool-use' : sawRefusal ? 'refusal' : 'end', said);
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
        const said = textOrNothing(response['status']);
        // Some servers repeat the response as it was at its start.
        const isOld = said === undefined || said === 'queued' || said === 'in_progress';
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
        return builder.fail(modelError('E_MODEL_PROTOCOL', 'The answer has no output', true));
      }
      return finish(response);
    },
    end() {
      if (builder.isOver) return;
      builder.fail(modelError('E_MODEL_TRUNCATED', 'The answer broke off before its end', true));
    },
  };
}

/** What a whole answer says of itself that nobody has written to its end, or that somebody called off. */
const unfinishedStatuses: ReadonlySet<string> = new Set(['queued', 'in_progress', 'cancelled']);

/** Whether an event says by itself that it does nothing but bring more of a text. */
function isDelta(wire: WireObject): wire is WireObject & { readonly type: string; readonly delta: string } {
  return typeof wire['type'] === 'string' && wire['type'].endsWith('.delta') && typeof wire['delta'] === 'string';
}
