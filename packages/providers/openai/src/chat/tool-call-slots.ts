import type { JsonObject } from '@ravi/kernel';
import { isUsable, parseArguments, textOrNothing } from '@ravi/provider-kit';
import type { ResponseBuilder, OpenCall } from '@ravi/provider-kit';
import { openCall } from '../open-call.ts';
import type { WireContext } from '../wire-settings.ts';

/** A call, or a piece of one, as servers write it. */
export interface WireToolCall {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly type?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
  readonly custom?: { readonly name?: string | null; readonly input?: unknown } | null;
}

/** Puts calls together from their pieces. */
export interface ToolCallSlots {
  take(piece: WireToolCall): void;
  /** More arguments for the call that the last piece was for. */
  append(text: string): void;
  /** Ends all calls. */
  end(how: ResponseEnding): void;
}

/**
 * How the answer ended: by itself, by something that may have cut any call, because calls that are made at once are
 * announced before the first of them is written, or without saying that it is all.
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
 * Merges by index, and begins another call where a new id comes with a name on an index that is in use, or where a name
 * comes behind arguments that are whole. Missing indexes, missing ids, ids or names that repeat with each piece, and blanks that
 * come late do not mislead it.
 */
export function createToolCallSlots(builder: ResponseBuilder, context: WireContext): ToolCallSlots {
  const slots: Slot[] = [];
  let firstOpen = 0;
  /** The slot of the last piece. */
  let touched: Slot | undefined;

  const slotOf = (piece: WireToolCall, name: string | undefined, id: string | undefined, text: string): Slot => {
    const index = typeof piece.index === 'number' ? piece.index : undefined;
    const current = slots.findLast((slot) => index === undefined || slot.index === index);
    if (current !== undefined && !startsAnother(current, name, id, text)) return current;
    const slot: Slot = {
      index: index ?? undefined,
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

  /** Calls before this one that are whole can run already; they end in their order. */
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

  const take = (piece: WireToolCall): void => {
    const { function: asked, custom, id: wireId, type, index: _index, ...kept } = piece;
    // Servers that know both kinds fill the other one with nothing.
    const isCustom = type === 'custom' || (isUsable(custom?.name) && !isUsable(asked?.name));
    const written = isCustom ? custom : asked;
    const name = textOrNothing(written?.name);
    const id = isUsable(wireId) ? wireId : undefined;
    const text = textOf(isCustom ? custom?.input : asked?.arguments);
    const slot = slotOf(piece, name, id, text);
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
  // Blanks come behind whole arguments, and some servers say id and name again with them.
  if (text.trim() === '' || (isSame && !hasNewName)) return false;
  return slot.isEnded || (name !== undefined && slot.text !== '' && isWhole(slot.text));
}

/** Whether a piece says the whole call once more. */
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
