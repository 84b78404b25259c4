import type {
  ContentBlock,
  JsonObject,
  JsonValue,
  ModelError,
  ModelEvent,
  ModelStopReason,
  ModelUsage,
  OpaqueData,
  ToolCaller,
  ToolUseBlock,
} from '@ravi/kernel';
import { createIdSource } from './ids.ts';
import type { ParsedArguments } from './parse-arguments.ts';
import { parseArguments } from './parse-arguments.ts';

/** Parts of a request that the decoder of its response needs. */
export interface ResponseContext {
  /** Ids of the calls that the conversation already has. */
  readonly usedIds: Iterable<string>;
  /** Source of the {@link OpaqueData} of blocks. */
  readonly source: string;
  /** Returns the tool's own name. */
  nameOf(wireName: string): string;
  /** Reverts the effect of the encoder's changes to a tool's schema on its arguments, by the tool's own name. */
  restoreArguments?(name: string, args: JsonObject): JsonObject;
}

/** End of a call. */
export interface CallEnd {
  /** True if the response was cut off, possibly inside these arguments. */
  readonly wasCut?: boolean;
  /** The complete arguments, if the provider sent them as a whole, with or without pieces. */
  readonly whole?: string | ParsedArguments;
  readonly callType?: string;
  readonly caller?: ToolCaller;
  readonly opaque?: JsonValue;
}

/** Call that the model is still writing. */
export interface OpenCall {
  readonly id: string;
  /** Arguments received so far. */
  readonly text: string;
  append(text: string): void;
  /** Emits the call as a block; idempotent. */
  end(end?: CallEnd): void;
}

/** End of a response, without its usage. */
export interface ResponseEnd {
  readonly providerReason?: string | undefined;
  readonly responseId?: string | undefined;
  readonly model?: string | undefined;
  /** Facts that no other field has, under the provider's own names; absent if there are none. */
  readonly details?: JsonObject | undefined;
}

/** Builder of the events of one response. It keeps their order, makes ids unique and emits nothing after the end. */
export interface ResponseBuilder {
  readonly isOver: boolean;
  readonly hasCalls: boolean;
  text(text: string): void;
  reasoning(text: string): void;
  /**
   * Ends the open text or reasoning block and returns true if there was one. A piece of the other kind and the end of
   * the response do so automatically.
   */
  closeText(opaque?: JsonValue): boolean;
  /** @param call `wireName` is the name as the provider writes it */
  openCall(call: { readonly id?: string | null | undefined; readonly wireName: string }): OpenCall;
  block(block: ContentBlock): void;
  opaque(data: JsonValue): OpaqueData;
  usage(usage: ModelUsage): void;
  finish(reason: ModelStopReason, end?: ResponseEnd): void;
  fail(error: ModelError): void;
}

/** Creates a builder. @param emit receives each event as it occurs */
export function createResponseBuilder(context: ResponseContext, emit: (event: ModelEvent) => void): ResponseBuilder {
  const nextId = createIdSource(context.usedIds);
  let open: { readonly type: 'text' | 'reasoning'; text: string } | undefined;
  let usage: ModelUsage = { inputTokens: 0, outputTokens: 0 };
  let isOver = false;
  let hasCalls = false;

  const opaque = (data: JsonValue): OpaqueData => ({ source: context.source, data });
  const withOpaque = (data: JsonValue | undefined) => (data === undefined ? {} : { opaque: opaque(data) });

  const send = (event: ModelEvent): void => {
    if (!isOver) emit(event);
  };

  const closeText = (data?: JsonValue): boolean => {
    if (open === undefined) return false;
    const { type, text } = open;
    open = undefined;
    send({ type: 'block', block: { type, text, ...withOpaque(data) } });
    return true;
  };

  const write = (type: 'text' | 'reasoning', text: string): void => {
    if (text === '') return;
    if (open?.type !== type) {
      closeText();
      open = { type, text: '' };
    }
    (open as { text: string }).text += text;
    send({ type: `${type}-delta`, text });
  };

  const useBlock = (id: string, name: string, text: string, end: CallEnd): ToolUseBlock => {
    const { whole = text, wasCut = false } = end;
    const parsed = typeof whole === 'string' ? parseArguments(whole, { wasCut }) : whole;
    const restored = parsed.invalid === undefined ? context.restoreArguments?.(name, parsed.arguments) : undefined;
    return {
      type: 'tool_use',
      id,
      name,
      ...parsed,
      ...(restored === undefined ? {} : { arguments: restored }),
      ...(end.callType === undefined ? {} : { callType: end.callType }),
      ...(end.caller === undefined ? {} : { caller: end.caller }),
      ...withOpaque(end.opaque),
    };
  };

  return {
    get isOver() {
      return isOver;
    },
    get hasCalls() {
      return hasCalls;
    },
    text: (text) => write('text', text),
    reasoning: (text) => write('reasoning', text),
    closeText,
    openCall({ id: providerId, wireName }) {
      hasCalls = true;
      const id = nextId(providerId);
      const name = context.nameOf(wireName);
      let text = '';
      let ended = false;
      send({ type: 'tool-call-start', id, name });
      return {
        id,
        get text() {
          return text;
        },
        append(piece) {
          if (piece === '' || ended) return;
          text += piece;
          send({ type: 'tool-call-delta', id, text: piece });
        },
        end(end = {}) {
          if (ended) return;
          ended = true;
          if (text === '' && typeof end.whole === 'string' && end.whole !== '') {
            send({ type: 'tool-call-delta', id, text: end.whole });
          }
          send({ type: 'block', block: useBlock(id, name, text, end) });
        },
      };
    },
    block(block) {
      send({ type: 'block', block });
    },
    opaque,
    usage(next) {
      usage = next;
      send({ type: 'usage', usage });
    },
    finish(reason, end = {}) {
      closeText();
      const said = Object.fromEntries(Object.entries(end).filter(([, value]) => value !== undefined));
      send({ type: 'finish', reason, usage, ...said });
      isOver = true;
    },
    fail(error) {
      closeText();
      send({ type: 'error', error });
      isOver = true;
    },
  };
}
