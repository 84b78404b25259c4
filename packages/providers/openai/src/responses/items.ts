import type { JsonObject, JsonValue } from '@ravi/kernel';
import { argumentsOf, listOf, textOrNothing } from '@ravi/provider-kit';
import type { OpenCall, ResponseBuilder, WireObject } from '@ravi/provider-kit';
import type { WireContext } from '../wire-settings.ts';
import { splitCall } from './native-calls.ts';

/** Returns the wire name of a call; `undefined` for an item that is not a call for our tools. */
export function callName(item: WireObject, context: WireContext): string | undefined {
  const { type, name } = item;
  if (type === 'function_call') return typeof name === 'string' ? name : '';
  return typeof type === 'string' ? context.toolOfCallType(type, textOrNothing(name)) : undefined;
}

/** Returns the id that results refer to. */
export function idOf(item: WireObject): string | undefined {
  return textOrNothing(item['call_id']) ?? textOrNothing(item['id']);
}

/** Returns true if a call has neither arguments nor a status that it is complete. */
export function isBare(call: OpenCall, { type, status, arguments: written }: WireObject): boolean {
  return type === 'function_call' && call.text === '' && !written && textOrNothing(status) === undefined;
}

/**
 * Ends a call from its complete item.
 * @param isCut true if the response was cut, possibly inside an item that is not marked complete
 */
export function endCall(call: OpenCall, item: WireObject, context: WireContext, isCut = false): void {
  const { payload, kept } = splitCall(item as JsonObject);
  const caller = (item['caller'] as WireObject | undefined)?.['type'] === 'program' ? { caller: 'chain' as const } : {};
  const { status } = item;
  const wasCut = status === 'incomplete' || status === 'in_progress' || (isCut && status !== 'completed');
  if (item['type'] !== 'function_call') {
    const { type } = item;
    const isOurs = typeof type === 'string' && context.toolOfCallType(type, textOrNothing(item['name'])) !== undefined;
    const whole = wasCut ? argumentsCut(JSON.stringify(payload)) : argumentsOf(payload);
    return call.end({ whole, ...(isOurs ? { callType: type } : {}), opaque: kept, ...caller });
  }
  const { arguments: written, name: _name, ...others } = payload;
  const whole = typeof written === 'string' && written !== '' ? written : call.text;
  const isText = written === undefined || written === null || typeof written === 'string';
  call.end({ whole: isText ? whole : argumentsOf(written), wasCut, opaque: { ...kept, ...others }, ...caller });
}

/** Returns truncated arguments, even if the text parses as JSON. */
export function argumentsCut(text: string): {
  readonly arguments: JsonObject;
  readonly invalid: { reason: 'truncated'; text: string };
} {
  return { arguments: {}, invalid: { reason: 'truncated', text } };
}

/** Ends the open parts of a message; deltas of the first one may already have arrived. */
export function endMessage(builder: ResponseBuilder, item: WireObject, closed: number): void {
  for (const part of listOf(item['content']).slice(closed)) {
    const kept = keptOf(item, part);
    if (builder.closeText(kept)) continue;
    const text = part['text'] ?? part['refusal'];
    if (typeof text === 'string') builder.text(text);
    builder.closeText(kept);
  }
  builder.closeText();
}

/** Returns the opaque data of one part of a message: everything but its text. */
export function keptOf(message: WireObject, part: WireObject): JsonValue {
  const { content: _content, type: _type, role: _role, status: _status, ...kept } = message;
  const { text: _text, refusal: _refusal, logprobs: _logprobs, ...frame } = part;
  return { ...kept, part: frame } as JsonObject;
}

/** Ends reasoning and keeps its complete item, which is sent back unchanged. */
export function endReasoning(builder: ResponseBuilder, item: WireObject, wasStreamed: boolean): void {
  if (wasStreamed && builder.closeText(item as JsonObject)) return;
  const parts = [...listOf(item['summary']), ...listOf(item['content'])];
  const text = parts.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : [])).join('\n\n');
  builder.reasoning(text);
  if (builder.closeText(item as JsonObject)) return;
  builder.block({ type: 'reasoning', text, opaque: builder.opaque(item as JsonObject) });
}
