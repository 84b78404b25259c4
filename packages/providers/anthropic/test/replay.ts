import type { ContentBlock, JsonObject, JsonValue, ModelMessage, ModelRequest, ToolSpec } from '@ravi/kernel';
import { decodeBody, decodeStream } from '@ravi/provider-testing';
import type { Recording } from '@ravi/testkit';
import { encodeMessages } from '../src/index.ts';
import type { MessagesRequest } from '../src/index.ts';
import { textOrEmpty } from '@ravi/provider-kit';
import { decoderFor, settingsFor } from './settings.ts';

interface WireMessage {
  readonly role: string;
  readonly content: string | readonly JsonObject[];
}

/** Recorded response and how it is sent back, by its recorder and by us. */
export interface Replay {
  readonly name: string;
  /** Requests in the middle of the task, and with another user message: each with results for all calls. */
  readonly encoded: readonly MessagesRequest[];
  readonly ours: readonly JsonObject[];
  /** The same of the next recorded request; `undefined` if that is another conversation. */
  readonly theirs: readonly JsonObject[] | undefined;
}

/** Decodes each response of a recording after its own history, and encodes it again. */
export function replaysOf({ name, interactions }: Recording): Replay[] {
  return interactions.flatMap((interaction, at): Replay[] => {
    const body = bodyOf(interaction.request.body);
    if (body === undefined || interaction.expected === undefined) return [];
    const model = textOrEmpty(body['model']);
    const settings = settingsFor(model);
    const asked: ModelRequest = { messages: historyOf(body, `anthropic/messages/${model}`), tools: toolsOf(body) };
    const { context } = encodeMessages(asked, settings);
    const { text, body: whole } = interaction.response;
    const { blocks } =
      text === undefined ? decodeBody(decoderFor(context), whole) : decodeStream(decoderFor(context), [text]);
    const results = blocks.flatMap((block): ContentBlock[] =>
      block.type === 'tool_use'
        ? [{ type: 'tool_result', toolUseId: block.id, isError: false, content: [{ type: 'text', text: 'done' }] }]
        : [],
    );
    const goOn = (...more: readonly ContentBlock[]): MessagesRequest => {
      const messages = [...asked.messages, { role: 'assistant', content: blocks } as const];
      const said = [...results, ...more];
      const turn: ModelMessage[] = said.length === 0 ? [] : [{ role: 'user', content: said }];
      return encodeMessages({ ...asked, messages: [...messages, ...turn] }, settings);
    };
    const encoded = [goOn(), goOn({ type: 'text', text: 'And?' })];
    const next = bodyOf(interactions[at + 1]?.request.body);
    return [
      {
        name: `${name}#${at}`,
        encoded,
        ours: comparable(messagesOf(encoded[0]?.body).slice(messagesOf(body).length)),
        theirs: next === undefined ? undefined : answerIn(body, next),
      },
    ];
  });
}

/** Encodes every recorded request again from its meaning. */
export function requestsOf({
  name,
  interactions,
}: Recording): { readonly name: string; readonly encoded: MessagesRequest }[] {
  return interactions.flatMap(({ request }, at) => {
    const body = bodyOf(request.body);
    if (body === undefined) return [];
    const model = textOrEmpty(body['model']);
    const asked: ModelRequest = {
      messages: historyOf(body, `anthropic/messages/${model}`),
      tools: toolsOf(body),
      maxOutputTokens: Number(body['max_tokens']),
      ...(typeof body['system'] === 'string' ? { system: body['system'] } : {}),
    };
    return [{ name: `${name}#${at}`, encoded: encodeMessages(asked, settingsFor(model)) }];
  });
}

function bodyOf(value: unknown): JsonObject | undefined {
  const body = value as JsonObject | undefined;
  return textOrEmpty(body?.['model']).includes('claude') ? body : undefined;
}

function messagesOf(body: JsonObject | undefined): readonly WireMessage[] {
  return (body?.['messages'] ?? []) as unknown as readonly WireMessage[];
}

function blocksOf({ content }: WireMessage): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Converts system messages inside a conversation to user messages and omits changes of tools. */
function historyOf(body: JsonObject, source: string): ModelMessage[] {
  return messagesOf(body).map((message) => ({
    role: message.role === 'assistant' ? 'assistant' : 'user',
    content: blocksOf(message)
      .filter(({ type }) => message.role !== 'system' || type === 'text')
      .map((block) => kernelBlock(block, source)),
  }));
}

function kernelBlock(block: JsonObject, source: string): ContentBlock {
  const { type, text, cache_control: _mark, ...rest } = block;
  switch (type) {
    case 'text':
      return { type: 'text', text: textOrEmpty(text) };
    case 'thinking':
      return {
        type: 'reasoning',
        text: textOrEmpty(rest['thinking']),
        opaque: { source, data: { ...block, thinking: '' } },
      };
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', opaque: { source, data: block } };
    case 'tool_use': {
      const [id, name, args] = [textOrEmpty(rest['id']), textOrEmpty(rest['name']), rest['input'] as JsonObject];
      return { type: 'tool_use', id, name, arguments: args };
    }
    case 'tool_result': {
      const content = blocksOf({ role: 'user', content: (rest['content'] ?? []) as string | readonly JsonObject[] });
      const inner = content.map((part) => kernelBlock(part, source));
      return {
        type: 'tool_result',
        toolUseId: textOrEmpty(rest['tool_use_id']),
        isError: rest['is_error'] === true,
        content: inner,
      };
    }
    default:
      return { type: 'unknown', raw: block, source };
  }
}

function toolsOf(body: JsonObject): ToolSpec[] {
  return ((body['tools'] ?? []) as unknown as readonly JsonObject[]).map((tool): ToolSpec => {
    const { type, name, description, input_schema: parameters } = tool;
    if (parameters === undefined) {
      const calls = type === 'memory_20250818' ? { callTypes: ['memory'] } : {};
      return { type: 'provider', name: textOrEmpty(name), provider: 'anthropic/messages', spec: tool, ...calls };
    }
    return {
      type: 'function',
      name: textOrEmpty(name),
      description: textOrEmpty(description),
      parameters: parameters as JsonObject,
      ...(tool['defer_loading'] === true ? { lazySchema: true } : {}),
      ...(tool['strict'] === true ? { strict: true } : {}),
    };
  });
}

/** Returns the response after the messages of the previous request. */
function answerIn(before: JsonObject, next: JsonObject): readonly JsonObject[] | undefined {
  const [shared, all] = [messagesOf(before), messagesOf(next)];
  const isSame = shared.every(({ role }, at) => role === all[at]?.role);
  const rest = all.slice(shared.length);
  return isSame && rest[0]?.role === 'assistant' ? comparable(rest) : undefined;
}

/** Returns the blocks of a response without empty fields: direct callers, no citations, cache marks. */
function comparable(messages: readonly WireMessage[]): readonly JsonObject[] {
  const [response] = messages;
  return response?.role === 'assistant' ? blocksOf(response).map((block) => plain(block) as JsonObject) : [];
}

function plain(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((entry: JsonValue) => plain(entry));
  if (typeof value !== 'object' || value === null) return value;
  const { cache_control: _mark, ...fields } = value as JsonObject;
  const kept = Object.entries(fields).filter(
    ([key, entry]) => entry !== null && !(key === 'caller' && (entry as JsonObject)['type'] === 'direct'),
  );
  return Object.fromEntries(kept.map(([key, entry]) => [key, plain(entry)]));
}
