import type { JsonObject, ModelEvent, ModelStopReason } from '@ravi/kernel';
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
import type { ModelDecoder, WireObject } from '@ravi/provider-kit';
import { volatileFields } from '../wire-settings.ts';
import { streamError } from '../refusal.ts';
import { usageOf } from '../usage.ts';
import type { WireContext } from '../wire-settings.ts';
import { mergeDetails } from './reasoning.ts';
import type { ChatReasoning } from './reasoning.ts';
import { createSpeech } from './speech.ts';
import { createToolCallSlots } from './tool-call-slots.ts';
import type { WireToolCall } from './tool-call-slots.ts';

interface WireDelta {
  readonly content?: string | readonly WirePart[] | null;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_details?: readonly JsonObject[] | null;
  readonly tool_calls?: readonly WireToolCall[] | null;
  readonly audio?: unknown;
}

interface WirePart {
  readonly type?: string;
  readonly text?: string;
  readonly thinking?: string | readonly WirePart[];
}

interface WireChunk {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly choices?: readonly WireChoice[] | null;
  readonly usage?: unknown;
  readonly error?: unknown;
}

interface WireChoice {
  readonly index?: number | null;
  readonly delta?: WireDelta | null;
  readonly message?: WireDelta | null;
  readonly finish_reason?: string | null;
}

/** Creates a decoder of Chat Completions responses, streamed or whole, as servers really write them. */
export function createChatDecoder(context: WireContext, emit: (event: ModelEvent) => void): ModelDecoder {
  const builder = createResponseBuilder(context, emit);
  const slots = createToolCallSlots(builder, context);
  const speech = createSpeech(context.audioFormat);
  const facts = createResponseDetails();
  const appends = createAppendReader(['arguments'], volatileFields);
  let reasoning: ChatReasoning | undefined;
  let details: JsonObject[] = [];
  let reason: string | undefined;
  /** Index of the choice that is read: the first one, nearly always 0. */
  let place: number | undefined;
  let isRefusal = false;
  let responseId: string | undefined;
  let model: string | undefined;

  const appendReasoning = (field: ChatReasoning['field'], text: string): void => {
    if (text === '') return;
    if (reasoning === undefined) builder.closeText();
    reasoning ??= { field };
    builder.reasoning(text);
  };

  /**
   * Ends reasoning. Data that the server needs back is part of the block; details without text are a separate block.
   */
  const endReasoning = (): void => {
    if (reasoning === undefined && details.length === 0) return;
    const data = { field: 'reasoning' as const, ...reasoning, ...(details.length > 0 ? { details } : {}) };
    if (reasoning === undefined || !builder.closeText(data)) {
      builder.block({ type: 'reasoning', text: '', opaque: builder.opaque(data) });
    }
    reasoning = undefined;
    details = [];
  };

  const appendText = (text: string): void => {
    if (text === '') return;
    endReasoning();
    builder.text(text);
  };

  const readContent = (content: WireDelta['content']): void => {
    if (typeof content === 'string') return appendText(content);
    for (const part of listOf(content) as readonly WirePart[]) {
      if (part.type === 'thinking') appendReasoning('thinking', thinkingText(part.thinking));
      else if (typeof part.text === 'string') appendText(part.text);
    }
    return undefined;
  };

  const readDelta = (delta: WireDelta, form: 'delta' | 'message'): void => {
    const pieces = listOf(delta.reasoning_details) as readonly JsonObject[];
    if (pieces.length > 0) details = mergeDetails(details, pieces);
    if (typeof delta.reasoning_content === 'string') appendReasoning('reasoning_content', delta.reasoning_content);
    else if (typeof delta.reasoning === 'string') appendReasoning('reasoning', delta.reasoning);
    readContent(delta.content);
    if (isJsonObject(delta.audio)) appendText(speech.take(delta.audio));
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      isRefusal = true;
      appendText(delta.refusal);
    }
    for (const piece of listOf(delta.tool_calls) as readonly WireToolCall[]) {
      endReasoning();
      if (form === 'message') slots.takeWhole(piece);
      else slots.take(piece);
    }
  };

  const choiceOf = ({ choices }: WireChunk): WireChoice | undefined => {
    const all = listOf(choices) as readonly WireChoice[];
    const own = all.find(({ index }) => index === undefined || index === null || index === (place ?? 0));
    const choice = own ?? (place === undefined ? all[0] : undefined);
    if (choice !== undefined) place ??= choice.index ?? 0;
    return choice;
  };

  const readChunk = (chunk: WireChunk, form: 'delta' | 'message'): void => {
    if (chunk.error !== undefined && chunk.error !== null) return builder.fail(streamError(chunk));
    responseId ??= textOrNothing(chunk.id);
    model ??= textOrNothing(chunk.model);
    const choice = choiceOf(chunk);
    // One server sends both fields, each for its form of the response.
    const delta = form === 'delta' ? (choice?.delta ?? choice?.message) : (choice?.message ?? choice?.delta);
    facts.take(chunk as WireObject, ['service_tier', 'citations', 'search_results']);
    if (choice !== undefined) facts.take(choice as WireObject, ['logprobs', 'content_filter_results']);
    if (isJsonObject(chunk.usage)) facts.take(chunk.usage, ['cost', 'cost_details']);
    if (delta !== undefined && delta !== null) {
      facts.take(delta as WireObject, ['annotations']);
      readDelta(delta, form);
    }
    if (typeof choice?.finish_reason === 'string' && choice.finish_reason !== '') reason ??= choice.finish_reason;
    const usage = usageOf(chunk.usage);
    if (usage !== undefined) builder.usage(usage);
  };

  const finish = (isDone: boolean): void => {
    endReasoning();
    builder.closeText();
    const spoken = speech.end();
    if (spoken !== undefined) builder.block(spoken);
    if (reason === undefined && !isDone) {
      return builder.fail(modelError('E_MODEL_TRUNCATED', 'The response ended before it was complete', true));
    }
    slots.end(reason === undefined ? 'unsaid' : wholeReasons.has(reason) ? 'whole' : 'cut');
    if (reason === 'error') return builder.fail(modelError('E_MODEL_UNAVAILABLE', 'The model provider failed', true));
    return builder.finish(isRefusal ? 'refusal' : stopReason(reason, builder.hasCalls), {
      providerReason: reason,
      responseId,
      model,
      details: facts.end(),
    });
  };

  return {
    event(data, name) {
      if (builder.isOver || data === '') return;
      // Some servers keep the connection open after `[DONE]`, or break it.
      if (data.startsWith('[DONE]')) return finish(true);
      const appended = appends.read(data);
      if (appended !== undefined) return slots.append(appended);
      const chunk: WireChunk | undefined = wireEvent(data, builder);
      if (chunk === undefined) return;
      readChunk(name === 'error' && chunk.error === undefined ? { error: chunk } : chunk, 'delta');
      appends.learn(data, appendedBy(chunk, place));
    },
    body(value) {
      const chunk: WireChunk | undefined = wireBody(value, builder);
      if (chunk === undefined) return undefined;
      readChunk(chunk, 'message');
      const { choices } = chunk;
      if (builder.isOver) return undefined;
      if (!Array.isArray(choices) || choices.length === 0) {
        return builder.fail(modelError('E_MODEL_PROTOCOL', 'The response has no choices', true));
      }
      // A whole body is complete, with or without a finish reason.
      reason ??= 'stop';
      return finish(true);
    },
    end() {
      if (!builder.isOver) finish(false);
    },
  };
}

/** Returns the arguments that a chunk adds to a started call, if it contains nothing else. */
function appendedBy({ choices, usage, error }: WireChunk, place: number | undefined): string | undefined {
  const choice = choices?.[0];
  const pieces = choice?.delta?.tool_calls;
  const piece = pieces?.[0];
  if (choices?.length !== 1 || pieces?.length !== 1 || (piece?.id ?? piece?.function?.name ?? piece?.type) != null)
    return undefined;
  if (choice?.finish_reason || usage || error || (choice?.index ?? place) !== place) return undefined;
  const hasMore = Object.entries(choice?.delta ?? {}).some(
    ([key, value]) => key !== 'tool_calls' && key !== 'role' && value,
  );
  const text = piece?.function?.arguments;
  return hasMore || typeof text !== 'string' ? undefined : text;
}

/** Finish reasons of a model that stopped on its own; any other reason may mean that the response was cut. */
const wholeReasons: ReadonlySet<string> = new Set(['stop', 'eos', 'tool_calls', 'function_call']);

function isLength(reason: string): boolean {
  return reason === 'length' || reason === 'max_tokens' || reason === 'model_length';
}

function stopReason(reason: string | undefined, hasCalls: boolean): ModelStopReason {
  if (reason !== undefined && isLength(reason)) return 'length';
  if (reason === 'content_filter') return 'refusal';
  if (reason !== undefined && !wholeReasons.has(reason)) return 'other';
  // Servers send `stop` with calls and `tool_calls` without.
  return hasCalls ? 'tool-use' : 'end';
}

function thinkingText(thinking: WirePart['thinking']): string {
  if (typeof thinking === 'string') return thinking;
  return listOf(thinking)
    .map(({ text }) => textOrNothing(text) ?? '')
    .join('');
}
