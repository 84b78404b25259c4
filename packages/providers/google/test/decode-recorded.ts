import type { FunctionSpec, JsonObject, JsonSchema, ModelRequest, ProviderSpec } from '@ravi/kernel';
import { decodeBody as decodeWhole, decodeStream as decodePieces } from '@ravi/provider-testing';
import type { Comparison } from '@ravi/provider-testing';
import type { CollectedAnswer, RecordedInteraction } from '@ravi/testkit';
import { createGeminiDecoder, encodeGemini } from '../src/index.ts';
import type { WireContext, WireSettings } from '../src/index.ts';
import { settingsFor } from './settings.ts';

type WireObject = Readonly<Record<string, unknown>>;

export const plainContext: WireContext = {
  usedIds: [],
  source: 'test',
  nameOf: (name) => name,
  toolOfCallType: () => undefined,
  isHosted: () => false,
};

/** Decodes a stream that arrives in these pieces. */
export function decodeStream(pieces: Iterable<string>, context: WireContext = plainContext): CollectedAnswer {
  return decodePieces((emit) => createGeminiDecoder(context, emit), pieces);
}

/** Decodes a response that is one body. */
export function decodeBody(body: unknown, context: WireContext = plainContext): CollectedAnswer {
  return decodeWhole((emit) => createGeminiDecoder(context, emit), body);
}

/** Returns events as the original stream. */
export function streamOf(events: readonly unknown[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

/** Returns the recorded response as a stream; `undefined` if it was one body. */
export function streamIn({ request, response }: RecordedInteraction): string | undefined {
  if (response.segments === undefined) return response.text;
  return request.path.includes('stream') ? streamOf(response.segments) : undefined;
}

export function decodeInteraction(interaction: RecordedInteraction, context?: WireContext): CollectedAnswer {
  const text = streamIn(interaction);
  if (text !== undefined) return decodeStream([text], context);
  const { body, segments } = interaction.response;
  return decodeBody(body ?? segments?.[0], context);
}

/** Returns the model of a recorded request. */
function modelOf({ request }: RecordedInteraction): string {
  return /models\/([^:]+)/u.exec(request.path)?.[1] ?? '';
}

/** Encodes a conversation with the tools of a recorded request. */
export function settingsOf(interaction: RecordedInteraction): WireSettings {
  return settingsFor(modelOf(interaction), { isVertex: interaction.request.path.includes('/publishers/') });
}

/** Returns a request without messages that offers the tools of a recorded one. */
export function requestOf({ request }: RecordedInteraction): ModelRequest {
  const offered = (((request.body ?? {}) as WireObject)['tools'] ?? []) as readonly WireObject[];
  const tools = offered.flatMap((entry, at): (FunctionSpec | ProviderSpec)[] => {
    const { functionDeclarations, ...native } = entry;
    const spec = inCamelCase(native) as JsonObject;
    const functions = ((functionDeclarations ?? []) as readonly WireObject[]).map((declared): FunctionSpec => ({
      type: 'function',
      name: String(declared['name']),
      description: (declared['description'] ?? '') as string,
      parameters: (declared['parametersJsonSchema'] ?? declared['parameters_json_schema'] ?? {}) as JsonSchema,
    }));
    if (Object.keys(spec).length === 0) return functions;
    return [...functions, { type: 'provider', name: `native-${at}`, provider: 'google/generate-content', spec }];
  });
  return { messages: [], tools };
}

/** Normalises fields, which recorders spell in two ways, and removes absent ones. */
function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (typeof value !== 'object' || value === null) return value;
  const present = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(
    present.map(([key, entry]) => [
      key.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase()),
      inCamelCase(entry),
    ]),
  );
}

/** Returns the context of the decoder of a recorded response. */
export function contextOf(interaction: RecordedInteraction): WireContext {
  return encodeGemini(requestOf(interaction), settingsOf(interaction)).context;
}

/** Returns the interaction without the ids that a library generated. */
export function withoutMadeIds(interaction: RecordedInteraction): RecordedInteraction {
  const { expected, response } = interaction;
  const sent = JSON.stringify(response);
  const calls = expected?.disagree?.aiSdkToolCalls ?? expected?.toolCalls;
  if (expected === undefined || calls === undefined) return interaction;
  const { disagree: _disagree, ...rest } = expected;
  const toolCalls = calls.map(({ id, ...call }) =>
    typeof id === 'string' && sent.includes(JSON.stringify(id)) ? { id, ...call } : call,
  );
  return { ...interaction, expected: { ...rest, toolCalls } };
}

/** Comparison with the official library's finish reasons and usage. */
export const comparison: Comparison = {
  reasonsFor(finish, hasCalls) {
    if (finish === 'MAX_TOKENS') return ['length'];
    if (finish === 'SAFETY') return ['refusal'];
    return [hasCalls ? 'tool-use' : 'end'];
  },
  outputTokensOf({ totalTokenCount, promptTokenCount = 0, toolUsePromptTokenCount = 0 }) {
    return totalTokenCount === undefined
      ? undefined
      : Number(totalTokenCount) - Number(promptTokenCount) - Number(toolUsePromptTokenCount);
  },
};
