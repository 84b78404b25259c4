import type { JsonObject } from '@ravi/kernel';
import { isUsable, parseArguments, textOrNothing } from '@ravi/provider-kit';
import type { OpenCall, ResponseBuilder } from '@ravi/provider-kit';
import { openCall } from '../open-call.ts';
import type { WireContext } from '../wire-settings.ts';

/** Call, or piece of a call, as servers write it. */
export interface WireToolCall {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly type?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
  readonly custom?: { readonly name?: string | null; readonly input?: unknown } | null;
}

/** Assembler of calls that arrive in pieces. */
export interface ToolCallSlots {
  take(piece: WireToolCall): void;
  /** Takes a call of a response that is not streamed: each is a call of its own, also with an id that repeats. */
  takeWhole(call: WireToolCall): void;
  /** Adds arguments to the call of the last piece. */
  append(text: string): void;
  /** Ends all calls. */
  end(how: ResponseEnding): void;
}

/**
 * End of a response. `whole`: the model stopped on its own. `cut`: any call may be cut, because parallel calls are
 * announced before the first one is written. `unsaid`: the response has no finish reason.
 */
export type ResponseEnding = 'whole' | 'cut' | 'unsaid';

interface Slot {
  readonly index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  callType: string | undefined;
  kept: JsonObject;
  text: string;
  call: OpenCall | undefined;
  isEnded: boolean;
}

/**
 * Creates slots. Pieces are merged by index. A new call starts if a new id and a name arrive for a used index, or a
 * name arrives after complete arguments. Missing indexes and ids, ids or names that repeat with each piece, and late
 * whitespace are handled.
 */
export function createToolCallSlots(builder: ResponseBuilder, context: WireContext): ToolCallSlots {
  const slots: Slot[] = [];
  let firstOpen = 0;
  /** Slot of the last piece. */
  let touched: Slot | undefined;

  const slotOf = (piece: WireToolCall, name: string | undefined, id: string | undefined, text: string): Slot => {
    const index = typeof piece.index === 'number' ? piece.index : undefined;
    const current = slots.findLast((slot) => index === undefined || slot.index === index);
    return current !== undefined && !startsAnother(current, name, id, text) ? current : newSlot(index, id);
  };

  const newSlot = (index: number | undefined, id: string | undefined): Slot => {
    const slot: Slot = {
      index,
      id,
      name: undefined,
      callType: undefined,
      kept: {},
      text: '',
      call: undefined,
      isEnded: false,
    };
    slots.push(slot);
    endWhole(slots.length - 1);
    return slot;
  };

  /** Ends complete calls before this one in order, so that they can already run. */
  const endWhole = (before: number): void => {
    for (; firstOpen < before; firstOpen++) {
      const slot = slots[firstOpen];
      if (slot === undefined || slot.callType !== undefined || slot.text === '' || !isWhole(slot.text)) return;
      endSlot(slot, 'whole');
    }
  };

  const open = (slot: Slot): OpenCall => {
    if (slot.call !== undefined) return slot.call;
    builder.closeText();
    const own = slot.callType === undefined ? undefined : context.toolOfCallType(slot.callType, slot.name);
    slot.call = openCall(builder, { id: slot.id, wireName: own ?? slot.name ?? '' });
    slot.call.append(slot.text);
    return slot.call;
  };

  const endSlot = (slot: Slot, how: ResponseEnding): void => {
    if (slot.isEnded) return;
    slot.isEnded = true;
    const { text, kept, callType } = slot;
    const opaque = Object.keys(kept).length > 0 ? { opaque: kept } : {};
    const truncated = { arguments: {}, invalid: { reason: 'truncated', text } } as const;
    if (callType === undefined) {
      return open(slot).end({ whole: how === 'unsaid' ? truncated : text, wasCut: how === 'cut', ...opaque });
    }
    const whole = how === 'whole' ? { arguments: { name: slot.name ?? '', input: text } } : truncated;
    return open(slot).end({ whole, callType, ...opaque });
  };

  const take = (piece: WireToolCall, isWholeCall = false): void => {
    const { function: asked, custom, id: wireId, type, index: _index, ...kept } = piece;
    // Servers that support both kinds leave the other one empty.
    const isCustom = type === 'custom' || (isUsable(custom?.name) && !isUsable(asked?.name));
    const written = isCustom ? custom : asked;
    const name = textOrNothing(written?.name);
    const id = isUsable(wireId) ? wireId : undefined;
    const text = textOf(isCustom ? custom?.input : asked?.arguments);
    const slot = isWholeCall ? newSlot(undefined, id) : slotOf(piece, name, id, text);
    touched = slot;
    slot.id ??= id;
    slot.name ??= name;
    slot.kept = { ...slot.kept, ...(kept as JsonObject) };
    if (isCustom) slot.callType = 'custom';
    if (slot.isEnded || isRepeat(slot, name, id, text)) return;
    slot.text += text;
    if (slot.call !== undefined) slot.call.append(text);
    else if (slot.name !== undefined) open(slot);
  };

  return {
    append(text) {
      if (touched === undefined) return;
      if (touched.isEnded) return take({ index: touched.index ?? null, function: { arguments: text } });
      touched.text += text;
      touched.call?.append(text);
    },
    take,
    takeWhole: (call) => take(call, true),
    end(how) {
      for (const slot of slots) endSlot(slot, how);
    },
  };
}

function startsAnother(slot: Slot, name: string | undefined, id: string | undefined, text: string): boolean {
  const isSame = id !== undefined && id === slot.id;
  if (name !== undefined && !isSame && id !== undefined && slot.id !== undefined) return true;
  const hasNewName = name !== undefined && slot.name !== undefined && name !== slot.name;
  if (hasNewName && slot.id === undefined) return true;
  // Whitespace may follow complete arguments, and some servers repeat id and name with it.
  if (text.trim() === '' || (isSame && !hasNewName)) return false;
  return slot.isEnded || (name !== undefined && slot.text !== '' && isWhole(slot.text));
}

/** Returns true if a piece repeats the whole call. */
function isRepeat(slot: Slot, name: string | undefined, id: string | undefined, text: string): boolean {
  return name !== undefined && name === slot.name && id === slot.id && text === slot.text && isWhole(text);
}

function isWhole(text: string): boolean {
  return text.trimEnd().endsWith('}') && parseArguments(text).invalid === undefined;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
