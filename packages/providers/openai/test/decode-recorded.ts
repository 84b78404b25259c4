import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ModelEvent } from '@ravi/kernel';
import { createSseSplitter } from '@ravi/provider-kit';
import { collectEvents } from '@ravi/testkit';
import type { CollectedAnswer, ExpectedCall, RecordedInteraction } from '@ravi/testkit';
import { createChatDecoder, createResponsesDecoder } from '../src/index.ts';
import type { WireContext } from '../src/index.ts';

/** Which of the two interfaces a recorded request speaks. */
export function apiOf({ request }: RecordedInteraction): 'responses' | 'chat' {
  return request.path.endsWith('/responses') ? 'responses' : 'chat';
}

export const plainContext: WireContext = {
  usedIds: [],
  source: 'test',
  nameOf: (name) => name,
  toolOfCallType: () => undefined,
};

/** Decodes a stream that comes in these pieces. */
export function decodeStream(
  api: 'responses' | 'chat',
  pieces: Iterable<string>,
  context: WireContext = plainContext,
): CollectedAnswer {
  const events: ModelEvent[] = [];
  const create = api === 'responses' ? createResponsesDecoder : createChatDecoder;
  const decoder = create(context, (event) => events.push(event));
  const splitter = createSseSplitter((data, name) => decoder.event(data, name));
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  decoder.end();
  return collectEvents(events);
}

/** Decodes an answer that is one body. */
export function decodeBody(
  api: 'responses' | 'chat',
  body: unknown,
  context: WireContext = plainContext,
): CollectedAnswer {
  const events: ModelEvent[] = [];
  const create = api === 'responses' ? createResponsesDecoder : createChatDecoder;
  const decoder = create(context, (event) => events.push(event));
  decoder.body(body);
  decoder.end();
  return collectEvents(events);
}

export function decodeInteraction(interaction: RecordedInteraction): CollectedAnswer {
  const { text, body } = interaction.response;
  return text === undefined ? decodeBody(apiOf(interaction), body) : decodeStream(apiOf(interaction), [text]);
}

/**
 * Where the official library reads no text: refusals, which stand in a field of their own; answers whose end leaves the
 * output out; and content in parts, of which it makes `[object Object]`.
 */
const readsMoreText = /refusal_matrix|responses-chatgpt|mistral_model_thinking_part_iter/u;

/** What differs between an answer and what another library read in it; empty when nothing does. */
export function differences(
  name: string,
  answer: CollectedAnswer,
  { expected, request }: RecordedInteraction,
): string[] {
  if (expected === undefined) return [];
  if (expected.decodeError !== undefined || expected.error !== undefined) {
    // A filter that left nothing of an answer is a refusal to us, and a failure to others.
    const isRefused = answer.finish?.reason === 'refusal' && answer.blocks.length === 0;
    return answer.error === undefined && !isRefused ? [`read although ${expected.decodeError ?? expected.error}`] : [];
  }
  if (answer.error !== undefined) return [`failed: ${answer.error.code} ${answer.error.message}`];
  const found: string[] = [];
  const wanted = expected.disagree?.aiSdkToolCalls ?? expected.toolCalls ?? [];
  const calls = answer.blocks.filter((block) => block.type === 'tool_use');
  if (calls.length !== wanted.length) found.push(`${calls.length} calls instead of ${wanted.length}`);
  for (const [at, want] of wanted.entries()) {
    const call = calls[at];
    if (call === undefined) continue;
    if (
      want.id !== undefined &&
      want.id !== null &&
      want.id !== '' &&
      want.id !== call.id &&
      wanted.filter(({ id }) => id === want.id).length === 1
    ) {
      found.push(`call ${at} has id ${call.id} instead of ${want.id}`);
    }
    if (want.name !== call.name) found.push(`call ${at} is ${call.name} instead of ${want.name}`);
    const args = argumentsOf(want);
    if (args === undefined ? call.invalid === undefined : !isDeepStrictEqual(call.arguments, args)) {
      found.push(`call ${at} has ${JSON.stringify(call.arguments)} instead of ${JSON.stringify(want.arguments)}`);
    }
  }
  const text = answer.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
  if (!readsMoreText.test(name) && hashOf(text) !== (expected.text?.sha1 ?? hashOf(''))) {
    found.push(`text of ${text.length} characters instead of ${expected.text?.chars ?? 0}`);
  }
  const reason = answer.finish?.reason;
  if (!reasonsFor(expected.finish ?? undefined, calls.length > 0).includes(reason ?? ''))
    found.push(`finished by ${reason}, not ${expected.finish}`);
  const usage = expected.usage as Readonly<Record<string, number>> | null | undefined;
  const outputTokens = usage?.['output_tokens'] ?? usage?.['completion_tokens'];
  if (outputTokens !== undefined && answer.finish?.usage.outputTokens !== outputTokens) {
    found.push(`${answer.finish?.usage.outputTokens} output tokens instead of ${outputTokens} (${request.host})`);
  }
  return found;
}

/** `undefined` for arguments that are no JSON object; nothing is an empty one. */
function argumentsOf(call: ExpectedCall): unknown {
  if (typeof call.arguments !== 'string') return call.arguments ?? {};
  if (call.arguments.trim() === '') return {};
  try {
    return JSON.parse(call.arguments);
  } catch {
    return undefined;
  }
}

function reasonsFor(finish: string | undefined, hasCalls: boolean): readonly string[] {
  if (finish === undefined) return ['end', 'tool-use', 'length', 'refusal', 'other'];
  if (/length|max_output_tokens|max_tokens/u.test(finish)) return ['length'];
  if (/content_filter/u.test(finish)) return ['refusal'];
  return hasCalls ? ['tool-use'] : ['end', 'refusal'];
}

function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
