import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ToolCaller } from './tool.ts';

/**
 * What a provider needs back unchanged and in place: signatures, encrypted reasoning, ids of its own. It goes to the same
 * `source` again and to nobody else; a block without it is sent as any other block.
 */
export interface OpaqueData {
  /** Who can read it: provider, interface and model in one text that its encoder writes and compares whole. */
  readonly source: string;
  readonly data: JsonValue;
}

/** Plain text, for the model to read. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly opaque?: OpaqueData;
}

/** Where the bytes of a media block are: in the block, in a blob store, or at an address the provider fetches. */
export type MediaSource =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'blob'; readonly ref: string }
  | { readonly kind: 'url'; readonly url: string };

/** An image, audio clip or document (PDF, …) with its IANA media type. */
export interface MediaBlock {
  readonly type: 'image' | 'audio' | 'document';
  readonly mediaType: string;
  readonly source: MediaSource;
  /** A file name for people; never used as a path. */
  readonly name?: string;
}

/** Any JSON value that is data, not prose. */
export interface DataBlock {
  readonly type: 'data';
  readonly data: JsonValue;
}

/** A failure that the model should read. */
export interface ErrorBlock {
  readonly type: 'error';
  readonly message: string;
  readonly code?: string;
  readonly retryable?: boolean;
  /** Milliseconds to wait before a retry. */
  readonly retryAfterMs?: number;
}

/** Why arguments of a call cannot be used. */
export interface InvalidArguments {
  /** `truncated`: the answer ended before they did. `malformed`: they ended and are no JSON object. */
  readonly reason: 'truncated' | 'malformed';
  /** What the model wrote, for people; it never goes back to a model. */
  readonly text: string;
}

/** The model asks for a tool call. */
export interface ToolUseBlock {
  readonly type: 'tool_use';
  /** Pairs it with its result; unique in its conversation, whatever the provider's own ids are. */
  readonly id: string;
  /** The tool's own name, not the one that it has on the wire. */
  readonly name: string;
  /** Empty when `invalid` is there. */
  readonly arguments: JsonObject;
  /** Such a call must never run: answer it with an error result that says so. */
  readonly invalid?: InvalidArguments;
  /** For a provider-defined tool: which of its `callTypes`; `arguments` is the payload in the provider's own shape. */
  readonly callType?: string;
  /** Who wrote the call; `chain` is a script that the model wrote and the provider runs. `direct` when absent. */
  readonly caller?: ToolCaller;
  readonly opaque?: OpaqueData;
}

/**
 * The answer to the {@link ToolUseBlock} with the same id. To a provider-defined call it holds one `data` block in the
 * provider's own shape, or any content, which then is told in words.
 */
export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
}

/** Reasoning of the model. Text may be empty: then only its provider can read it. */
export interface ReasoningBlock {
  readonly type: 'reasoning';
  readonly text: string;
  readonly opaque?: OpaqueData;
}

/** A block of a kind this version does not know, such as a call that the provider ran itself; `raw` is kept lossless. */
export interface UnknownBlock {
  readonly type: 'unknown';
  readonly raw: JsonValue;
  /** Who can read it, as {@link OpaqueData.source}; without it nobody is sent it. */
  readonly source?: string;
}

/** One piece of a message or a tool result, tagged by `type`. */
export type ContentBlock =
  | TextBlock
  | MediaBlock
  | DataBlock
  | ErrorBlock
  | ToolUseBlock
  | ToolResultBlock
  | ReasoningBlock
  | UnknownBlock;

/** A {@link TextBlock} with this text. */
export function textBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/** The readable text of blocks: texts and error messages as they are, data as JSON, joined by newlines; media have none. */
export function textOf(content: readonly ContentBlock[]): string {
  const parts: string[] = [];
  for (const block of content) {
    if (block.type === 'text') parts.push(block.text);
    if (block.type === 'error') parts.push(block.message);
    if (block.type === 'data') parts.push(JSON.stringify(block.data));
  }
  return parts.join('\n');
}
