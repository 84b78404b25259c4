import type { JsonObject, JsonValue } from '@ravi/kernel';
import { argumentsOf, listOf, textOrNothing } from '@ravi/provider-kit';
import type { ResponseBuilder, OpenCall, WireObject } from '@ravi/provider-kit';
import type { WireContext } from '../wire-settings.ts';
import { splitCall } from './native-calls.ts';

/** The name that a call goes by; `undefined` for an item that is no call of ours. */
export function callName(item: WireObject, context: WireContext): string | undefined {
  const { type, name } = item;
  if (type === 'function_call') return typeof name === 'string' ? name : '';
  return typeof type === 'string' ? context.toolOfCallType(type, textOrNothing(name)) : undefined;
}

/** The id that results name. */
export function idOf(item: WireObject): string | undefined {
  return textOrNothing(item['call_id']) ?? textOrNothing(item['id']);
}

/** Whether a call came without a character of arguments and without the word that this is all of it. */
export function isBare(call: OpenCall, { type, status, arguments: written }: WireObject): boolean {
  return type === 'function_call' && call.text === '' && !written && textOrNothing(status) === undefined;
}

/**
 * Makes a call out of its whole item.
 * @param isCut whether the answer was cut, perhaps inside an item that does not say that it is complete
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

/** Arguments whose end never came, even if what is there reads as JSON. */
export function argumentsCut(text: string): {
  readonly arguments: JsonObject;
  readonly invalid: { reason: 'truncated'; text: string };
} {
  return { arguments: {}, invalid: { reason: 'truncated', text } };
}

/** The parts that are not closed yet; of the first of them the deltas may have come. */
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

/** What of a message is kept beside the text of one of its parts. */
export function keptOf(message: WireObject, part: WireObject): JsonValue {
  const { content: _content, type: _type, role: _role, status: _status, ...kept } = message;
  const { text: _text, refusal: _refusal, logprobs: _logprobs, ...frame } = part;
  return { ...kept, part: frame } as JsonObject;
}

/** Reasoning with its whole item, which goes back as it is. */
export function endReasoning(builder: ResponseBuilder, item: WireObject, wasStreamed: boolean): void {
  if (wasStreamed && builder.closeText(item as JsonObject)) return;
  const parts = [...listOf(item['summary']), ...listOf(item['content'])];
  const text = parts.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : [])).join('\n\n');
  builder.reasoning(text);
  if (builder.closeText(item as JsonObject)) return;
  builder.block({ type: 'reasoning', text, opaque: builder.opaque(item as JsonObject) });
}
