import { textOf } from '@ravi/kernel';
import type { ContentBlock, MediaBlock, ModelMessage, ModelWarning, ToolResultBlock } from '@ravi/kernel';
import {
  arrangeTurns,
  base64Of,
  foreignWarnings,
  isForeign,
  isMedia,
  mediaAsText,
  orphanWarnings,
  ownData,
  textOfMedia,
} from '@ravi/provider-kit';
import type { NameMap } from '@ravi/provider-kit';
import type { LanguageModel } from 'ai';

/** Language model of the AI SDK in the version of its specification that this package uses. */
export type SdkModel = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;
/** Request of the SDK. */
export type CallOptions = Parameters<SdkModel['doStream']>[0];
/** Message of a request. */
export type SdkMessage = CallOptions['prompt'][number];
/** Part of a streamed response. */
export type StreamPart =
  Awaited<ReturnType<SdkModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

type AssistantPart = Extract<SdkMessage, { role: 'assistant' }>['content'][number];
type UserPart = Extract<SdkMessage, { role: 'user' }>['content'][number];
type ToolPart = Extract<SdkMessage, { role: 'tool' }>['content'][number];
type ToolOutput = Extract<ToolPart, { type: 'tool-result' }>['output'];
type FilePart = Extract<UserPart, { type: 'file' }>;

/** Parts of a request that its prompt needs. */
export interface PromptContext {
  readonly system: string | undefined;
  readonly source: string;
  readonly names: NameMap;
  readonly warnings: ModelWarning[];
  /** Returns true if the model fetches the URL of this media itself. */
  fetches(block: MediaBlock): boolean;
}

/** Encodes a conversation as a prompt of the AI SDK. */
export function encodePrompt(messages: readonly ModelMessage[], context: PromptContext): CallOptions['prompt'] {
  const { turns, orphans } = arrangeTurns(messages);
  context.warnings.push(...orphanWarnings(orphans), ...foreignWarnings(messages, context.source));
  const prompt: SdkMessage[] = [];
  if (context.system !== undefined && context.system !== '') prompt.push({ role: 'system', content: context.system });
  for (const turn of turns) {
    if (turn.role === 'user') {
      prompt.push({ role: 'user', content: turn.content.map((block) => userPart(block, context)) });
      continue;
    }
    const content = turn.content.flatMap((block) => assistantParts(block, context));
    if (content.length > 0) prompt.push({ role: 'assistant', content });
    if (turn.results.length === 0) continue;
    const results = turn.results.map(({ call, result }): ToolPart => {
      const toolName = context.names.toWire(call.name);
      return { type: 'tool-result', toolCallId: call.id, toolName, output: outputOf(result, context) };
    });
    prompt.push({ role: 'tool', content: results });
  }
  return prompt;
}

function userPart(block: ContentBlock, context: PromptContext): UserPart {
  const file = isMedia(block) ? filePart(block, context) : undefined;
  return file ?? { type: 'text', text: isMedia(block) ? mediaAsText(block) : textOf([block]) };
}

function assistantParts(block: ContentBlock, context: PromptContext): AssistantPart[] {
  const own = ownMetadata(block, context);
  switch (block.type) {
    case 'reasoning':
      // Reasoning of another model, or without what proves it, is not accepted.
      return own === undefined ? [] : [{ type: 'reasoning', text: block.text, providerOptions: own }];
    case 'tool_use': {
      const call = { toolCallId: block.id, toolName: context.names.toWire(block.name), input: block.arguments };
      return [{ type: 'tool-call', ...call, ...(own && { providerOptions: own }) }];
    }
    case 'unknown':
      return isForeign(block, context.source) ? [] : [block.raw as unknown as AssistantPart];
    case 'image':
    case 'audio':
    case 'document':
      return [filePart(block, context) ?? { type: 'text', text: mediaAsText(block) }];
    default: {
      const text = textOf([block]);
      return text === '' && own === undefined ? [] : [{ type: 'text', text, ...(own && { providerOptions: own }) }];
    }
  }
}

type Metadata = NonNullable<AssistantPart['providerOptions']>;

function ownMetadata(block: ContentBlock, { source }: PromptContext): Metadata | undefined {
  if (block.type !== 'text' && block.type !== 'reasoning' && block.type !== 'tool_use') return undefined;
  return ownData(block, source) as unknown as Metadata | undefined;
}

function filePart(block: MediaBlock, context: PromptContext): FilePart | undefined {
  const { mediaType, name } = block;
  const named = name === undefined ? {} : { filename: name };
  if (textOfMedia(block) !== undefined) return undefined;
  const data = base64Of(block);
  if (data !== undefined) return { type: 'file', mediaType, data: { type: 'data', data }, ...named };
  if (block.source.kind === 'url' && URL.canParse(block.source.url) && context.fetches(block)) {
    return { type: 'file', mediaType, data: { type: 'url', url: new URL(block.source.url) }, ...named };
  }
  context.warnings.push({ code: 'media-replaced', message: `Media of type ${mediaType} is described as text` });
  return undefined;
}

function outputOf({ content, isError }: ToolResultBlock, context: PromptContext): ToolOutput {
  const said = content.filter((block) => !isMedia(block));
  const [only] = content;
  if (isError) return { type: 'error-text', value: textOf(said) || 'The call failed.' };
  if (content.length === 1 && only?.type === 'data') {
    return { type: 'json', value: only.data as Extract<ToolOutput, { type: 'json' }>['value'] };
  }
  const files = content.filter(isMedia).map((block) => filePart(block, context) ?? mediaAsText(block));
  if (files.length === 0) return { type: 'text', value: textOf(said) };
  const text = textOf(said);
  const parts = [...(text === '' ? [] : [text]), ...files];
  return {
    type: 'content',
    value: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
  };
}
