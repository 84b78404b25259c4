import type {
  ContentBlock,
  FunctionSpec,
  JsonSchema,
  MediaBlock,
  ModelMessage,
  ModelRequest,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '@ravi/kernel';

/** Returns a text block. */
export const text = (words: string): TextBlock => ({ type: 'text', text: words });

/** Image of three bytes. */
export const image: MediaBlock = {
  type: 'image',
  mediaType: 'image/png',
  source: { kind: 'bytes', bytes: Uint8Array.of(1, 2, 3) },
};

/** Returns a call of the tool `go`. */
export const use = (id: string, more: Partial<ToolUseBlock> = {}): ToolUseBlock => ({
  type: 'tool_use',
  id,
  name: 'go',
  arguments: {},
  ...more,
});

/** Returns a successful result. */
export const result = (toolUseId: string, ...content: ContentBlock[]): ToolResultBlock => ({
  type: 'tool_result',
  toolUseId,
  content,
  isError: false,
});

/** Returns a user message. */
export const user = (...content: ContentBlock[]): ModelMessage => ({ role: 'user', content });

/** Returns an assistant message. */
export const model = (...content: ContentBlock[]): ModelMessage => ({ role: 'assistant', content });

/** Returns a function tool, which accepts any object by default. */
export const tool = (
  name: string,
  parameters: JsonSchema = { type: 'object' },
  more: Partial<FunctionSpec> = {},
): FunctionSpec => ({ type: 'function', name, description: 'd', parameters, ...more });

/** Returns a request with these messages. */
export const ask = (messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages,
  tools: [],
  ...more,
});
