import type { JsonObject, JsonValue } from './json.ts';

/** Plain text, for the model to read. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
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

/** The model asks for a tool call. `id` pairs it with its result. */
export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The answer to the {@link ToolUseBlock} with the same id. */
export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
}

/** Reasoning of the model; `opaque` is kept unchanged and in place for the provider that signed it. */
export interface ReasoningBlock {
  readonly type: 'reasoning';
  readonly text: string;
  readonly opaque?: JsonValue;
}

/** A block of a kind this version does not know; `raw` is kept lossless. */
export interface UnknownBlock {
  readonly type: 'unknown';
  readonly raw: JsonValue;
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
