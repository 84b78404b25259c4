import type { JsonObject, JsonValue, ModelEvent, ModelStopReason, ModelUsage } from '@ravi/kernel';
import {
  argumentsOf,
  createResponseBuilder,
  createAppendReader,
  createResponseDetails,
  hasArguments,
  isJsonObject,
  modelError,
  textOrNothing,
  wireBody,
  wireEvent,
} from '@ravi/provider-kit';
import type { ModelDecoder, OpenCall, WireObject } from '@ravi/provider-kit';
import { loneText } from './lone-text.ts';
import type { LoneText } from './lone-text.ts';
import { mediaBlock } from './media.ts';
import { createPartialArguments } from './partial-arguments.ts';
import type { PartialArguments } from './partial-arguments.ts';
import { streamError } from './refusal.ts';
import type { WireContext } from './wire-settings.ts';

/** Fields with the sources of a candidate, for people. */
const sources = ['groundingMetadata', 'urlContextMetadata', 'citationMetadata'];

/** Creates a decoder of generateContent responses, streamed or whole. */
export function createGeminiDecoder(context: WireContext, emit: (event: ModelEvent) => void): ModelDecoder {
  const builder = createResponseBuilder(context, emit);
  const appends = createAppendReader(['stringValue', 'text']);
  /** Content of the last chunk, if it was a single text. */
  let lone: LoneText | undefined;
  /** Call whose arguments arrive in pieces. */
  let open: { readonly call: OpenCall; readonly args: PartialArguments; end: CallFrame } | undefined;
  /** Call without arguments: the next part shows whether it is complete. */
  let bare: { readonly call: OpenCall; readonly end: CallFrame } | undefined;
  let isThinking = false;
  let reason: string | undefined;
  let reasonText = '';
  let blockReason: string | undefined;
  const details = createResponseDetails();
  let responseId: string | undefined;
  let model: string | undefined;
  let counts: unknown;
  const sourceFields: Record<string, JsonValue> = {};

  /** Ends text. Thoughts are marked, because they are sent back as thoughts. */
  const endText = (): void => {
    builder.closeText(isThinking ? { thought: true } : undefined);
    isThinking = false;
  };

  const endOpenCall = (wasCut: boolean): void => {
    open?.call.end({ ...open.end, whole: open.args.end(wasCut) });
    open = undefined;
  };

  const endBareCall = (wasCut: boolean): void => {
    bare?.call.end({ ...bare.end, whole: '', wasCut });
    bare = undefined;
  };

  const readText = (text: string, frame: JsonObject): void => {
    const { thought, ...kept } = frame;
    const isThought = thought === true;
    // A part with a signature is sent back unchanged, so it is not joined with others.
    const isSigned = Object.keys(kept).length > 0;
    if (isSigned || isThought !== isThinking) endText();
    if (text === '' && isSigned) {
      builder.block({ type: 'reasoning', text, opaque: builder.opaque(frame) });
      return;
    }
    isThinking = isThought;
    builder[isThought ? 'reasoning' : 'text'](text);
    if (!isSigned) return;
    builder.closeText(isThought ? frame : kept);
    isThinking = false;
  };

  const readCall = (part: WireObject, asked: WireObject): void => {
    const { name, id, args, partialArgs, willContinue } = asked;
    const pieces = Array.isArray(partialArgs) ? (partialArgs as readonly unknown[]).filter(isJsonObject) : [];
    const isNamed = typeof name === 'string' && name !== '';
    if (isNamed) endOpenCall(true);
    else if (open === undefined && pieces.length === 0 && args === undefined) return;
    if (open === undefined) {
      endText();
      const wireName = isNamed ? name : '';
      if (context.isHosted(wireName)) return readOther(part);
      const call = builder.openCall({ id: typeof id === 'string' ? id : undefined, wireName });
      const end = frameOf(part, asked, wireName, context);
      if (willContinue !== true && pieces.length === 0) {
        if (!hasArguments(args)) return void (bare = { call, end });
        return call.end({ ...end, whole: argumentsOf(args) });
      }
      open = { call, end, args: createPartialArguments(isJsonObject(args) ? (args as JsonObject) : {}) };
    } else {
      // Any piece may carry a signature. Complete arguments after pieces make the call malformed.
      if (Object.keys(part).length > 1) open.end = { ...open.end, opaque: { ...open.end.opaque, ...keptOf(part) } };
      if (isJsonObject(args) && Object.keys(args).length > 0) open.args.take({});
    }
    for (const piece of pieces) open.args.take(piece);
    if (willContinue !== true) endOpenCall(false);
    return undefined;
  };

  const readOther = (part: WireObject): void => {
    endText();
    const medium = mediaBlock(part);
    builder.block(medium ?? { type: 'unknown', raw: part as JsonObject, source: context.source });
  };

  const readPart = (part: WireObject): void => {
    const { functionCall, text } = part;
    if (text !== '') endBareCall(false);
    if (isJsonObject(functionCall)) return readCall(part, functionCall);
    if (typeof text !== 'string') return readOther(part);
    const { text: _text, ...frame } = part;
    return readText(text, frame as JsonObject);
  };

  const readCandidate = (candidate: WireObject): void => {
    const { content, finishReason, finishMessage } = candidate;
    const parts = isJsonObject(content) ? content['parts'] : undefined;
    if (Array.isArray(parts)) for (const part of parts) if (isJsonObject(part)) readPart(part);
    details.take(candidate, ['avgLogprobs', 'logprobsResult']);
    reason ??= textOrNothing(finishReason);
    if (typeof finishMessage === 'string') reasonText = finishMessage;
    for (const key of sources) if (isJsonObject(candidate[key])) sourceFields[key] = candidate[key] as JsonObject;
  };

  const readChunk = (chunk: WireObject): void => {
    if (isJsonObject(chunk['error'])) return builder.fail(streamError(chunk));
    responseId ??= textOrNothing(chunk['responseId']);
    model ??= textOrNothing(chunk['modelVersion']);
    const { promptFeedback, candidates } = chunk;
    if (isJsonObject(promptFeedback)) blockReason ??= textOrNothing(promptFeedback['blockReason']);
    const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
    if (isJsonObject(candidate)) readCandidate(candidate);
    counts = chunk['usageMetadata'] ?? counts;
    if (isJsonObject(counts)) details.take(counts, ['trafficType', 'serviceTier']);
  };

  /** Emits usage. Every chunk repeats the totals; the last one is final. */
  const emitUsage = (): void => {
    const usage = usageOf(counts);
    if (usage !== undefined) builder.usage(usage);
  };

  const finish = (): void => {
    endText();
    endBareCall(reason === undefined || !wholeReasons.has(reason));
    endOpenCall(true);
    emitUsage();
    const providerReason = reason ?? blockReason;
    if (providerReason === undefined) {
      return builder.fail(modelError('E_MODEL_TRUNCATED', 'The response ended before it was complete', true));
    }
    if (unreadable.has(providerReason)) {
      const message = `The model wrote an unreadable response (${providerReason}): ${reasonText}`;
      return builder.fail({ ...modelError('E_MODEL_PROTOCOL', message, true), providerCode: providerReason });
    }
    // Never sent back.
    if (Object.keys(sourceFields).length > 0) builder.block({ type: 'unknown', raw: sourceFields });
    const stop = reason === undefined ? 'refusal' : stopReason(reason, builder.hasCalls);
    return builder.finish(stop, { providerReason, responseId, model, details: details.end() });
  };

  return {
    event(data) {
      if (builder.isOver || data === '' || data === '[DONE]') return undefined;
      const more = appends.read(data);
      if (more !== undefined && lone !== undefined) return readPart(lone.partWith(more));
      const chunk = wireEvent(data, builder);
      if (chunk === undefined) return undefined;
      readChunk(chunk);
      lone = loneText(chunk);
      return appends.learn(data, lone?.text);
    },
    body(value) {
      // A stream that was not requested as events is one list.
      const values: unknown[] = Array.isArray(value) && value.length > 0 ? value : [value];
      const chunks: WireObject[] = [];
      for (const each of values) {
        const chunk = wireBody(each, builder);
        if (chunk === undefined) return undefined;
        chunks.push(chunk);
      }
      for (const chunk of chunks) if (!builder.isOver) readChunk(chunk);
      if (builder.isOver) return undefined;
      if (!chunks.some(({ candidates }) => Array.isArray(candidates) && candidates.length > 0)) {
        if (blockReason !== undefined) return finish();
        return builder.fail(modelError('E_MODEL_PROTOCOL', 'The response has no candidates', true));
      }
      // A single body is complete, with or without a finish reason; a list may be cut.
      if (!Array.isArray(value)) reason ??= 'STOP';
      return finish();
    },
    end() {
      if (!builder.isOver) finish();
    },
  };
}

interface CallFrame {
  readonly callType?: string;
  readonly opaque?: JsonObject;
}

/** Returns the parts of a call that are only sent back: its signature and unknown fields. */
function frameOf(part: WireObject, asked: WireObject, wireName: string, context: WireContext): CallFrame {
  const kept = keptOf(part);
  const { name: _name, id: _id, args: _args, partialArgs: _pieces, willContinue: _more, ...others } = asked;
  const frame = { ...kept, ...(Object.keys(others).length > 0 ? { functionCall: others } : {}) } as JsonObject;
  return {
    ...(context.toolOfCallType(wireName) === undefined ? {} : { callType: wireName }),
    ...(Object.keys(frame).length > 0 ? { opaque: frame } : {}),
  };
}

function keptOf(part: WireObject): JsonObject {
  const { functionCall: _call, ...kept } = part;
  return kept as JsonObject;
}

/** Finish reasons of a model that stopped on its own. */
const wholeReasons = new Set(['STOP', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS']);

/** Finish reasons that a retry may avoid. */
const unreadable = new Set(['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE']);

const refusals = new Set(
  (
    'SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII MODEL_ARMOR JAILBREAK ' +
    'IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION'
  ).split(' '),
);

function stopReason(reason: string, hasCalls: boolean): ModelStopReason {
  if (reason === 'MAX_TOKENS' || reason === 'CONTINUATION') return 'length';
  if (refusals.has(reason)) return 'refusal';
  // Calls end with STOP, and calls of unknown tools with UNEXPECTED_TOOL_CALL.
  if (hasCalls && wholeReasons.has(reason)) return 'tool-use';
  return reason === 'STOP' ? 'end' : 'other';
}

/**
 * Returns the token counts of a response; `undefined` without counts. Gemini counts thoughts and the input of hosted
 * tools separately.
 */
function usageOf(value: unknown): ModelUsage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const count = (name: string): number | undefined => {
    const found = (value as Readonly<Record<string, unknown>>)[name];
    return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
  };
  const thoughts = count('thoughtsTokenCount');
  const cached = count('cachedContentTokenCount');
  return {
    inputTokens: (count('promptTokenCount') ?? 0) + (count('toolUsePromptTokenCount') ?? 0),
    outputTokens: (count('candidatesTokenCount') ?? 0) + (thoughts ?? 0),
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(thoughts === undefined ? {} : { reasoningTokens: thoughts }),
  };
}
