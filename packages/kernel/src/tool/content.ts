import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ToolCaller } from './tool.ts';

/**
 * Data that a provider must receive back unchanged and in place: signatures, encrypted reasoning, ids of its own. It is sent
 * to the same `source` only. A block without it is sent like any other block.
 */
export interface OpaqueData {
  /** Provider, interface and model that can read it, as one text that the encoder writes and compares whole. */
  readonly source: string;
  readonly data: JsonValue;
}

/** Plain text, for the model to read. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly opaque?: OpaqueData;
}

/** Location of the bytes of a media block: in the block, in a blob store, or at a URL that the provider fetches. */
export type MediaSource =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'blob'; readonly ref: string }
  | { readonly kind: 'url'; readonly url: string };

/** An image, audio clip or document (PDF, …) with its IANA media type. */
export interface MediaBlock {
  readonly type: 'image' | 'audio' | 'document';
  readonly mediaType: string;
  readonly source: MediaSource;
  /** File name for display; never used as a path. */
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
  /** True if the call certainly had no effect. See `KernelErrorOptions.hadNoEffect`. */
  readonly hadNoEffect?: boolean;
}

/** Arguments of a call that cannot be used. */
export interface InvalidArguments {
  /** `truncated`: the response ended inside them. `malformed`: they are complete, but not a JSON object. */
  readonly reason: 'truncated' | 'malformed';
  /** Text that the model wrote, for display; never sent to a model. */
  readonly text: string;
}

/** Tool call requested by the model. */
export interface ToolUseBlock {
  readonly type: 'tool_use';
  /** Pairs the call with its result. Unique in its conversation, even if the provider's own ids repeat. */
  readonly id: string;
  /** Name of the tool, not its name on the wire. */
  readonly name: string;
  /** Empty if `invalid` is set. */
  readonly arguments: JsonObject;
  /** Set if the arguments cannot be used. Do not run such a call; reply with an error result. */
  readonly invalid?: InvalidArguments;
  /** For a provider-defined tool: one of its `callTypes`. `arguments` is then the payload in the provider's own shape. */
  readonly callType?: string;
  /** Author of the call. `chain` is a script of the model that the provider runs. Default `direct`. */
  readonly caller?: ToolCaller;
  readonly opaque?: OpaqueData;
}

/**
 * Result of the {@link ToolUseBlock} with the same id. For a provider-defined call it holds one `data` block in the
 * provider's own shape, or any other content, which is then sent as text.
 */
export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
}

/** Reasoning of the model. Its text is empty if only the provider can read it. */
export interface ReasoningBlock {
  readonly type: 'reasoning';
  readonly text: string;
  readonly opaque?: OpaqueData;
}

/** Block of a kind that this version does not know, such as a call that the provider ran. `raw` is preserved exactly. */
export interface UnknownBlock {
  readonly type: 'unknown';
  readonly raw: JsonValue;
  /** Provider that can read it, like {@link OpaqueData.source}. Without it the block is not sent. */
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

/** Returns a {@link TextBlock} with this text. */
export function textBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/** Returns the readable text of blocks, joined by newlines: text and error messages as they are, data as JSON. Media have none. */
export function textOf(content: readonly ContentBlock[]): string {
  const parts: string[] = [];
  for (const block of content) {
    if (block.type === 'text') parts.push(block.text);
    if (block.type === 'error') parts.push(block.message);
    if (block.type === 'data') parts.push(JSON.stringify(block.data));
  }
  return parts.join('\n');
}
