import type { ModelStopReason } from '@ravi/kernel';
import {
  decodeBody as decodeWhole,
  decodeStream as decodePieces,
  differences as compare,
} from '@ravi/provider-testing';
import type { DecoderFactory } from '@ravi/provider-testing';
import type { CollectedAnswer, RecordedInteraction } from '@ravi/testkit';
import { createChatDecoder, createResponsesDecoder } from '../src/index.ts';
import type { WireContext } from '../src/index.ts';

type Api = 'responses' | 'chat';

/** Returns the API of a recorded request. */
export function apiOf({ request }: RecordedInteraction): Api {
  return request.path.endsWith('/responses') ? 'responses' : 'chat';
}

export const plainContext: WireContext = {
  usedIds: [],
  source: 'test',
  nameOf: (name) => name,
  toolOfCallType: () => undefined,
};

function decoderOf(api: Api, context: WireContext): DecoderFactory {
  const create = api === 'responses' ? createResponsesDecoder : createChatDecoder;
  return (emit) => create(context, emit);
}

/** Decodes a stream that arrives in these pieces. */
export function decodeStream(api: Api, pieces: Iterable<string>, context: WireContext = plainContext): CollectedAnswer {
  return decodePieces(decoderOf(api, context), pieces);
}

/** Decodes a response that is one body. */
export function decodeBody(api: Api, body: unknown, context: WireContext = plainContext): CollectedAnswer {
  return decodeWhole(decoderOf(api, context), body);
}

/** Decodes a recorded response, streamed or whole. */
export function decodeInteraction(interaction: RecordedInteraction, context?: WireContext): CollectedAnswer {
  const { text, body } = interaction.response;
  const api = apiOf(interaction);
  return text === undefined ? decodeBody(api, body, context) : decodeStream(api, [text], context);
}

/**
 * Recordings whose text the official library does not read: refusals, which have their own field; responses whose end
 * omits the output; and content in parts, which it converts to `[object Object]`.
 */
const readsMoreText = /refusal_matrix|responses-chatgpt|mistral_model_thinking_part_iter/u;

/** Returns the differences between a decoded response and what another library read; empty if there are none. */
export function differences(
  name: string,
  answer: CollectedAnswer,
  interaction: RecordedInteraction,
): readonly string[] {
  return compare(answer, interaction, { reasonsFor, outputTokensOf, comparesText: !readsMoreText.test(name) });
}

function reasonsFor(finish: string | undefined, hasCalls: boolean): readonly ModelStopReason[] {
  if (finish === undefined) return ['end', 'tool-use', 'length', 'refusal', 'other'];
  if (/length|max_output_tokens|max_tokens/u.test(finish)) return ['length'];
  if (/content_filter/u.test(finish)) return ['refusal'];
  return hasCalls ? ['tool-use'] : ['end', 'refusal'];
}

function outputTokensOf(usage: Readonly<Record<string, unknown>>): number | undefined {
  const tokens = usage['output_tokens'] ?? usage['completion_tokens'];
  return typeof tokens === 'number' ? tokens : undefined;
}
