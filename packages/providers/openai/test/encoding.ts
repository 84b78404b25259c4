import type {
  ContentBlock,
  FunctionSpec,
  JsonObject,
  JsonSchema,
  ModelMessage,
  ModelRequest,
  ModelWarning,
  ToolUseBlock,
} from '@ravi/kernel';
import type { WireRequest } from '@ravi/provider-kit';
import type { DialectName } from '../src/dialect.ts';
import { encodeChat, encodeResponses } from '../src/index.ts';
import { settingsFor } from './settings.ts';

export type WireObject = Readonly<Record<string, never>>;

export const text = (words: string): ContentBlock => ({ type: 'text', text: words });
export const user = (...content: ContentBlock[]): ModelMessage => ({ role: 'user', content });
export const model = (...content: ContentBlock[]): ModelMessage => ({ role: 'assistant', content });
export const use = (id: string, more: Partial<ToolUseBlock> = {}): ToolUseBlock => ({
  type: 'tool_use',
  id,
  name: 'go',
  arguments: {},
  ...more,
});
export const result = (toolUseId: string, ...content: ContentBlock[]): ContentBlock => ({
  type: 'tool_result',
  toolUseId,
  content,
  isError: false,
});
export const image: ContentBlock = {
  type: 'image',
  mediaType: 'image/png',
  source: { kind: 'bytes', bytes: Uint8Array.of(1, 2, 3) },
};
export function tool(
  name: string,
  parameters: object = { type: 'object' },
  more: Partial<FunctionSpec> = {},
): FunctionSpec {
  return { type: 'function', name, description: 'd', parameters: parameters as JsonSchema, ...more };
}

export function ask(messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages, tools: [], ...more };
}

/** Encoded request and the lists in it. */
export interface Encoded {
  readonly body: JsonObject;
  readonly warnings: readonly ModelWarning[];
  readonly tools: readonly WireObject[];
  readonly messages: readonly WireObject[];
  readonly input: readonly WireObject[];
}

export function chat(request: ModelRequest, dialect: DialectName = 'openai'): Encoded {
  return listed(encodeChat(request, settingsFor(dialect)));
}

export function responses(request: ModelRequest): Encoded {
  return listed(encodeResponses(request, settingsFor('openai', 'auto', 'gpt-5')));
}

function listed({ body, warnings }: WireRequest): Encoded {
  const { tools, messages, input } = body as unknown as Encoded;
  return { body, warnings, tools, messages, input };
}
