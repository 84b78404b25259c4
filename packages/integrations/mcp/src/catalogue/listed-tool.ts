import type { JsonObject, JsonSchema, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import type { CallParts } from '../call/converse.ts';

/** Tool as a server lists it, after its parts were checked. */
export interface ListedTool {
  /** Name on the wire. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** True if arguments are sent as headers too, by version 2026-07-28. */
  readonly mirrorsHeaders: boolean;
  /** Claims of the server; believed only if the operator trusts it. */
  readonly hints: {
    readonly isReadOnly?: boolean;
    readonly isDestructive?: boolean;
    readonly isIdempotent?: boolean;
  };
  /** Tells if a call may or must run as a task, by version 2025-11-25. */
  readonly taskSupport: 'forbidden' | 'optional' | 'required';
}

/** Tool that a source offers, before it is named: one of the server, or one that reads its resources or prompts. */
export interface OfferedTool {
  /** Name that patterns are compared with. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly hints: ListedTool['hints'];
  readonly taskSupport?: ListedTool['taskSupport'];
  execute(args: JsonObject, context: ToolContext, parts: CallParts): Promise<ToolExecutionResult>;
}

/** Entry of a list that is not used, and why. */
export interface ListFailure {
  readonly from: string;
  readonly message: string;
}

/** Page of a list before its entries are checked. */
export interface RawPage {
  readonly entries: readonly JsonObject[];
  readonly nextCursor?: string;
  /** Milliseconds for which the list may be used. */
  readonly ttlMs?: number;
}

/**
 * Returns the description of a tool with the title before it, unless the title only repeats the name or the description. Both are one
 * sentence, because lists of tools show the first one.
 */
export function titledDescription({
  name,
  title,
  description,
}: {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
}): string {
  if (title === undefined || description.includes(title)) return description;
  if (description === '') return title;
  return wordsOf(title) === wordsOf(name) ? description : `${title}: ${description}`;
}

function wordsOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
