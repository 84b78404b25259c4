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

/** What of a request the decoder of its answer has to know. */
export interface ResponseContext {
  /** Of the calls that the conversation has already. */
  readonly usedIds: Iterable<string>;
  /** Goes into the {@link OpaqueData} of blocks. */
  readonly source: string;
  /** The tool's own name. */
  nameOf(wireName: string): string;
  /** Undoes what the encoder did to a tool's schema, by the tool's own name. */
  restoreArguments?(name: string, args: JsonObject): JsonObject;
}

/** How a call ended. */
export interface CallEnd {
  /** The answer was cut off, perhaps inside these arguments. */
  readonly wasCut?: boolean;
  /** All of the arguments, when they came whole as well or only so. */
  readonly whole?: string | ParsedArguments;
  readonly callType?: string;
  readonly caller?: ToolCaller;
  readonly opaque?: JsonValue;
}

/** A call that is being written. */
export interface OpenCall {
  readonly id: string;
  /** What was written of the arguments so far. */
  readonly text: string;
  append(text: string): void;
  /** Makes it a block; idempotent. */
  end(end?: CallEnd): void;
}

/** What an answer ended with, beside its usage. */
export interface ResponseEnd {
  readonly providerReason?: string | undefined;
  readonly responseId?: string | undefined;
  readonly model?: string | undefined;
}

/** Puts the events of one answer together: keeps order, ids and the rule that nothing follows the end. */
export interface ResponseBuilder {
  readonly isOver: boolean;
  readonly hasCalls: boolean;
  text(text: string): void;
  reasoning(text: string): void;
  /**
   * Ends the open text or reasoning block and says whether there was one. A piece of the other kind and the end of the
   * answer do so by themselves.
   */
  closeText(opaque?: JsonValue): boolean;
  /** @param wireName as the provider writes it */
  openCall(call: { readonly id?: string | null | undefined; readonly wireName: string }): OpenCall;
  block(block: ContentBlock): void;
  opaque(data: JsonValue): OpaqueData;
  usage(usage: ModelUsage): void;
  finish(reason: ModelStopReason, end?: ResponseEnd): void;
  fail(error: ModelError): void;
}

/** @param emit gets each event as it comes */
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
