import { Buffer } from 'node:buffer';
import type { ContentBlock, JsonValue, ToolExecutionResult } from '@ravi/kernel';

const maxQuoted = 100;
const maxPaths = 5;

/**
 * Returns the result of a tool.
 * @param content text or blocks for a model
 * @param value plain JSON for a script, in the form of the output schema
 */
export function toolReply(content: string | readonly ContentBlock[], value: object): ToolExecutionResult {
  const blocks: readonly ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return { content: blocks, isError: false, structuredContent: value as JsonValue };
}

/** Returns the first of the lines that fit into `maxBytes` of UTF-8, each with its line break. */
export function linesWithin(lines: readonly string[], maxBytes: number): readonly string[] {
  let bytes = 0;
  const count = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > maxBytes);
  return count === -1 ? lines : lines.slice(0, count);
}

/**
 * Quotes a value for the summary of an approval. Control characters are escapes, so that a value cannot pose as the text around it, and a
 * value of more than 100 characters is cut.
 */
export function quoted(value: string): string {
  return JSON.stringify(value.length > maxQuoted ? `${value.slice(0, maxQuoted - 1)}…` : value);
}

/** Returns the names of paths for the summary of an approval: the first five, and the number of the others. */
export function quotedPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, maxPaths).map(quoted).join(', ');
  return paths.length > maxPaths ? `${shown} and ${paths.length - maxPaths} more` : shown;
}
