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

/** A text. */
export const text = (words: string): TextBlock => ({ type: 'text', text: words });

/** A picture of three bytes. */
export const image: MediaBlock = {
  type: 'image',
  mediaType: 'image/png',
  source: { kind: 'bytes', bytes: Uint8Array.of(1, 2, 3) },
};

/** A call of the tool `go`. */
export const use = (id: string, more: Partial<ToolUseBlock> = {}): ToolUseBlock => ({
  type: 'tool_use',
  id,
  name: 'go',
  arguments: {},
  ...more,
});

/** A good result. */
export const result = (toolUseId: string, ...content: ContentBlock[]): ToolResultBlock => ({
  type: 'tool_result',
  toolUseId,
  content,
  isError: false,
});

/** What the user says. */
export const user = (...content: ContentBlock[]): ModelMessage => ({ role: 'user', content });

/** What the model says. */
export const model = (...content: ContentBlock[]): ModelMessage => ({ role: 'assistant', content });

/** A function; its arguments are any object when nothing is said of them. */
export const tool = (
  name: string,
  parameters: JsonSchema = { type: 'object' },
  more: Partial<FunctionSpec> = {},
): FunctionSpec => ({ type: 'function', name, description: 'd', parameters, ...more });

/** A request with these messages. */
export const ask = (messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages,
  tools: [],
  ...more,
});
