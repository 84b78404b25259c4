import type { JsonObject, JsonValue } from '@ravi/kernel';
import { argumentsOf, hasArguments, parseArguments, textOrEmpty } from '@ravi/provider-kit';
import type { OpenCall, ParsedArguments, ResponseBuilder, WireObject } from '@ravi/provider-kit';
import type { WireContext } from './wire-settings.ts';

type OpenBlock =
  | { readonly type: 'text'; readonly citations: JsonValue[] }
  | { readonly type: 'thinking'; signature: string }
  | { readonly type: 'call'; readonly call: OpenCall; readonly start: JsonObject }
  | { readonly type: 'raw'; raw: JsonObject; json: string };

type CallBlock = Extract<OpenBlock, { readonly type: 'call' }>;

/** Reader that assembles the content blocks of a response. */
export interface BlockReader {
  start(at: number, block: JsonObject): void;
  /** Applies a delta. Returns its text if it only added text. */
  delta(at: number, delta: WireObject): string | undefined;
  /** Adds to the text of the last delta of this block. */
  append(at: number, text: string): void;
  stop(at: number): void;
  /** Starts the message again, for example when a proxy tries another model. A call without arguments counts as cut. */
  restart(): void;
  /** Ends the response. @param isWhole true if the model stopped on its own */
  end(isWhole: boolean): void;
}

/** Creates a reader of blocks by their index. Servers omit starts and stops, so it relies on neither. */
export function createBlockReader(builder: ResponseBuilder, context: WireContext): BlockReader {
  const open = new Map<number, OpenBlock>();
  /** Call without arguments: the next block shows whether it is complete. */
  let held: CallBlock | undefined;
  /** Calls without arguments and without a stop: the end of the response shows whether they are complete. */
  const unsaid: CallBlock[] = [];

  const release = (isWhole: boolean): void => {
    const block = held;
    held = undefined;
    if (block !== undefined) endCall(block, context, isWhole);
  };

  const close = (block: OpenBlock, isWhole: boolean): void => {
    switch (block.type) {
      case 'text':
        builder.closeText(block.citations.length === 0 ? undefined : { citations: block.citations });
        return;
      case 'thinking': {
        const data = { type: 'thinking', signature: block.signature };
        if (builder.closeText(data) || block.signature === '') return;
        builder.block({ type: 'reasoning', text: '', opaque: builder.opaque(data) });
        return;
      }
      case 'call':
        return endCall(block, context, isWhole);
      case 'raw': {
        const raw = withInput(block);
        if (raw !== undefined) builder.block({ type: 'unknown', raw, source: context.source });
        return;
      }
    }
  };

  const opened = (block: JsonObject): OpenBlock | undefined => {
    switch (block['type']) {
      case 'text':
        builder.text(textOrEmpty(block['text']));
        return { type: 'text', citations: [...listIn(block['citations'])] };
      case 'thinking':
        builder.reasoning(textOrEmpty(block['thinking']));
        return { type: 'thinking', signature: textOrEmpty(block['signature']) };
      case 'redacted_thinking':
        builder.block({ type: 'reasoning', text: '', opaque: builder.opaque(block) });
        return undefined;
      case 'tool_use': {
        const wireName = textOrEmpty(block['toolset_name']) || textOrEmpty(block['name']);
        const id = typeof block['id'] === 'string' ? block['id'] : undefined;
        return { type: 'call', call: builder.openCall({ id, wireName }), start: block };
      }
      default:
        return { type: 'raw', raw: block, json: '' };
    }
  };

  /** Closes open text and the block at this index before another block begins, even if the server omits stops. */
  const makeRoom = (at: number): void => {
    release(true);
    for (const [place, block] of open) {
      if (place !== at && block.type !== 'text' && block.type !== 'thinking') continue;
      open.delete(place);
      if (isBare(block)) unsaid.push(block);
      else close(block, true);
    }
  };

  return {
    start(at, block) {
      makeRoom(at);
      const began = opened(block);
      if (began !== undefined) open.set(at, began);
    },
    delta(at, delta) {
      let block = open.get(at);
      if (block === undefined) {
        block = blockFor(delta);
        if (block === undefined) return undefined;
        makeRoom(at);
        open.set(at, block);
      }
      const text = textFor(block, delta);
      if (text === undefined) takeOther(block, delta);
      else append(block, text, builder);
      return text;
    },
    append(at, text) {
      const block = open.get(at);
      if (block !== undefined) append(block, text, builder);
    },
    stop(at) {
      const block = open.get(at);
      if (block === undefined) return;
      open.delete(at);
      if (isBare(block)) held = block;
      else close(block, true);
    },
    restart() {
      for (const [place, block] of open) {
        if (!isBare(block)) continue;
        open.delete(place);
        close(block, false);
      }
    },
    end(isWhole) {
      release(isWhole);
      for (const block of unsaid) endCall(block, context, isWhole);
      for (const block of open.values()) close(block, isWhole);
      open.clear();
    },
  };
}

/** Returns true for a call without arguments. */
function isBare(block: OpenBlock): block is CallBlock {
  return block.type === 'call' && block.call.text === '' && !hasArguments(block.start['input']);
}

/** Returns the text of a delta that only extends its block. */
function textFor({ type: kind }: OpenBlock, delta: WireObject): string | undefined {
  const { type } = delta;
  if (kind === 'text') return type === 'text_delta' ? textOrEmpty(delta['text']) : undefined;
  if (kind === 'thinking') return type === 'thinking_delta' ? textOrEmpty(delta['thinking']) : undefined;
  return type === 'input_json_delta' ? textOrEmpty(delta['partial_json']) : undefined;
}

function append(block: OpenBlock, text: string, builder: ResponseBuilder): void {
  if (block.type === 'call') block.call.append(text);
  else if (block.type === 'text') builder.text(text);
  else if (block.type === 'thinking') builder.reasoning(text);
  else block.json += text;
}

function takeOther(block: OpenBlock, delta: WireObject): void {
  const { type } = delta;
  if (block.type === 'text' && type === 'citations_delta') {
    block.citations.push((delta['citation'] ?? null) as JsonValue);
  }
  if (block.type === 'thinking' && type === 'signature_delta') block.signature = textOrEmpty(delta['signature']);
  if (block.type !== 'raw') return;
  const { type: _type, ...fields } = delta as JsonObject;
  block.raw = { ...block.raw, ...fields };
}

/** Returns a new block for a delta without a start. */
function blockFor({ type }: WireObject): OpenBlock | undefined {
  if (type === 'text_delta') return { type: 'text', citations: [] };
  const isThinking = type === 'thinking_delta' || type === 'signature_delta';
  return isThinking ? { type: 'thinking', signature: '' } : undefined;
}

function endCall({ call, start }: CallBlock, context: WireContext, isWhole: boolean): void {
  const { name, toolset_name: toolset, caller } = start;
  const native = context.nativeTool(textOrEmpty(toolset) || textOrEmpty(name));
  const args = writtenArguments(call.text, start['input'], isWhole);
  const isMember = native?.isToolset === true && args.invalid === undefined;
  const by = caller as JsonObject | null | undefined;
  const isScript = by != null && typeof by['type'] === 'string' && by['type'] !== 'direct';
  call.end({
    whole: isMember ? { arguments: { action: textOrEmpty(name), ...args.arguments } } : args,
    ...(native === undefined ? {} : { callType: native.callType }),
    ...(isScript ? { caller: 'chain', opaque: { caller: by } } : {}),
  });
}

/**
 * Parses arguments that arrive in pieces, or complete at the start. Complete ones in a cut response are not trusted.
 */
function writtenArguments(text: string, input: JsonValue | undefined, isWhole: boolean): ParsedArguments {
  if (text !== '' || !hasArguments(input)) return parseArguments(text, { wasCut: !isWhole });
  if (isWhole) return argumentsOf(input);
  return { arguments: {}, invalid: { reason: 'truncated', text: JSON.stringify(input) } };
}

/** Returns a provider block with its streamed input; `undefined` if the input was cut off. */
function withInput({ raw, json }: Extract<OpenBlock, { readonly type: 'raw' }>): JsonObject | undefined {
  if (json === '') return raw;
  const input = parseArguments(json);
  return input.invalid === undefined ? { ...raw, input: input.arguments } : undefined;
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
