import type { ContentBlock, FunctionSpec, JsonObject, JsonSchema, JsonValue, ModelRequest } from '@ravi/kernel';
import type { WireRequest } from '@ravi/provider-kit';
import type { Recording } from '@ravi/testkit';
import { encodeChat, encodeResponses } from '../src/index.ts';
import type { WireContext } from '../src/index.ts';
import type { DialectName } from '../src/dialect.ts';
import { apiOf, decodeInteraction } from './decode-recorded.ts';
import { settingsFor } from './settings.ts';

type WireObject = Readonly<Record<string, unknown>>;

/** Recorded response and how it is sent back, by its recorder and by us. */
export interface Replay {
  readonly name: string;
  readonly api: 'responses' | 'chat';
  readonly dialect: DialectName;
  /** Request with results for all calls, as a loop would continue. */
  readonly encoded: WireRequest<WireContext>;
  /** Its assistant part in comparable form. */
  readonly ours: readonly unknown[];
  /** The same of the next recorded request; `undefined` if that is another conversation. */
  readonly theirs: readonly unknown[] | undefined;
}

const dialectOf = (provider: string): DialectName => {
  if (provider.startsWith('openai-')) return 'openai';
  const known = (['deepseek', 'groq', 'mistral', 'openrouter'] as const).find((name) => provider.includes(name));
  return known ?? 'compatible';
};

/** Decodes each response of a recording, encodes it again, and finds what was really sent. */
export function replaysOf({ name, provider, interactions }: Recording): Replay[] {
  return interactions.flatMap((interaction, at): Replay[] => {
    const body = interaction.request.body as WireObject | undefined;
    if (body === undefined || interaction.expected === undefined || interaction.expected.decodeError !== undefined)
      return [];
    const api = apiOf(interaction);
    const model = String(body['model']);
    const settings = settingsFor(dialectOf(provider), 'auto', model);
    const encode = api === 'responses' ? encodeResponses : encodeChat;
    const asked: ModelRequest = { messages: [], tools: functionsOf(body) };
    const { context } = encode(asked, settings);
    const response = decodeInteraction(interaction, context).blocks;
    const calls = response.filter((block) => block.type === 'tool_use');
    const results = calls.map(({ id }): ContentBlock => ({
      type: 'tool_result',
      toolUseId: id,
      isError: false,
      content: [{ type: 'text', text: 'done' }],
    }));
    const encoded = encode(
      {
        ...asked,
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
          { role: 'assistant', content: response },
          { role: 'user', content: [...results, { type: 'text', text: 'And?' }] },
        ],
      },
      settings,
    );
    const next = interactions[at + 1]?.request.body as WireObject | undefined;
    return [
      {
        name: `${name}#${at}`,
        api,
        dialect: dialectOf(provider),
        encoded,
        ours: comparable(api, ourPart(encoded.body)),
        theirs: next === undefined ? undefined : theirPart(api, body, next),
      },
    ];
  });
}

function functionsOf(body: WireObject): FunctionSpec[] {
  return ((body['tools'] ?? []) as readonly WireObject[]).flatMap((tool): FunctionSpec[] => {
    const { name, description, parameters } = (tool['function'] ?? tool) as WireObject;
    if (typeof name !== 'string' || (tool['type'] ?? 'function') !== 'function') return [];
    return [
      {
        type: 'function',
        name,
        description: typeof description === 'string' ? description : '',
        parameters: (parameters ?? {}) as JsonSchema,
      },
    ];
  });
}

function listOf(body: WireObject): readonly WireObject[] {
  const items = body['input'] ?? body['messages'];
  return Array.isArray(items) ? (items as readonly WireObject[]) : [{ role: 'user', content: items }];
}

function isAnswer(item: WireObject): boolean {
  if (item['type'] === 'additional_tools') return false;
  const { type = 'message', role } = item;
  if (type === 'message') return role === 'assistant';
  return typeof type === 'string' && !/^(function|custom_tool)_call_output$|_approval_response$/u.test(type);
}

/** Returns the assistant's part of a request. */
function ourPart(body: JsonObject): readonly WireObject[] {
  return listOf(body).filter(isAnswer);
}

/** Returns the items after those of the previous request, up to the first that is not part of the response. */
function theirPart(api: 'responses' | 'chat', before: WireObject, next: WireObject): readonly unknown[] | undefined {
  const [shared, all] = [listOf(before), listOf(next)];
  if (next['previous_response_id'] !== undefined || all.length <= shared.length) return undefined;
  const isSame = shared.every((item, at) => item['role'] === all[at]?.['role'] && item['type'] === all[at]?.['type']);
  const rest = all.slice(shared.length);
  const end = rest.findIndex((item) => !isAnswer(item));
  const part = end === -1 ? rest : rest.slice(0, end);
  return isSame && part.length > 0 ? comparable(api, part) : undefined;
}

/** Returns text, calls and opaque items. Recorders wrote their own ids, so each call id becomes its number. */
function comparable(api: 'responses' | 'chat', items: readonly WireObject[]): unknown[] {
  const ids: unknown[] = [];
  const call = (id: unknown, { name, arguments: args }: WireObject): unknown => {
    if (!ids.includes(id)) ids.push(id);
    return ['call', ids.indexOf(id), name, parsed(args)];
  };
  const said = (content: unknown): unknown[] => (textOf(content) === '' ? [] : [['text', textOf(content)]]);
  return items.flatMap((item): unknown[] => {
    if (api === 'chat') {
      const calls = (item['tool_calls'] ?? []) as readonly WireObject[];
      return [...said(item['content']), ...calls.map(({ id, function: asked }) => call(id, asked as WireObject))];
    }
    if (item['type'] === 'function_call') return [call(item['call_id'], item)];
    if (item['type'] === 'reasoning')
      return item['encrypted_content'] ? [['reasoning', item['encrypted_content']]] : [];
    return item['role'] === 'assistant' ? said(item['content']) : [[item['type']]];
  });
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return (content as readonly WireObject[]).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

function parsed(args: unknown): JsonValue {
  if (typeof args !== 'string') return args as JsonValue;
  return args.trim() === '' ? {} : (JSON.parse(args) as JsonValue);
}
