import type { InvalidArguments, JsonObject } from '@ravi/kernel';
import { createBrackets } from './brackets.ts';
import { isTooDeep, isTooDeepIn, isJsonObject } from './wire.ts';

/** Parsed arguments, or the reason why they must not be used. */
export interface ParsedArguments {
  /** Empty if `invalid` is set. */
  readonly arguments: JsonObject;
  readonly invalid?: InvalidArguments;
}

/**
 * Parses the arguments of a call as a model wrote them. Empty text and `null` are `{}`, unless `wasCut` is set because
 * the response ended early. Anything else must be one complete JSON object and is never repaired. Arguments nested too
 * deeply to be serialized again are malformed.
 */
export function parseArguments(text: string, options: { readonly wasCut?: boolean } = {}): ParsedArguments {
  const wasCut = options.wasCut ?? false;
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'null') return wasCut ? invalid('truncated', text) : { arguments: {} };
  try {
    const value: unknown = JSON.parse(trimmed);
    if (isJsonObject(value) && !isTooDeepIn(trimmed, value)) return { arguments: value as JsonObject };
  } catch {
    return invalid(wasCut || isUnfinished(trimmed) ? 'truncated' : 'malformed', text);
  }
  return invalid('malformed', text);
}

/** Checks arguments that arrived as a value. Absent and `null` are `{}`. */
export function argumentsOf(value: unknown): ParsedArguments {
  if (value === undefined || value === null) return { arguments: {} };
  if (typeof value === 'string') return parseArguments(value);
  if (isTooDeep(value)) return invalid('malformed', '');
  return isJsonObject(value) ? { arguments: value as JsonObject } : invalid('malformed', JSON.stringify(value));
}

/** Returns true if a value contains arguments: not absent, `null`, empty text or an empty object. */
export function hasArguments(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) || Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '';
}

function invalid(reason: InvalidArguments['reason'], text: string): ParsedArguments {
  return { arguments: {}, invalid: { reason, text } };
}

/** Returns true if JSON text ends inside a string, an object or an array. */
function isUnfinished(text: string): boolean {
  const brackets = createBrackets();
  for (let at = 0; at !== -1;) at = brackets.take(text, at);
  return brackets.isInside;
}
