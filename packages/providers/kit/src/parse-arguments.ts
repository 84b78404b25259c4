import type { InvalidArguments, JsonObject } from '@ravi/kernel';
import { createBrackets } from './brackets.ts';
import { isTooDeep, isTooDeepIn, isJsonObject } from './wire.ts';

/** Arguments that may be used, or why they must not. */
export interface ParsedArguments {
  /** Empty when `invalid` is there. */
  readonly arguments: JsonObject;
  readonly invalid?: InvalidArguments;
}

/**
 * The arguments of a call as a model wrote them. Nothing at all is `{}`, and so is `null`, unless `wasCut` says that the
 * answer ended early; anything else must be one whole JSON object, and is never repaired. One that is nested too deep to be
 * written again is malformed.
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

/** Arguments that came as a value already. Absent and `null` are `{}`. */
export function argumentsOf(value: unknown): ParsedArguments {
  if (value === undefined || value === null) return { arguments: {} };
  if (typeof value === 'string') return parseArguments(value);
  if (isTooDeep(value)) return invalid('malformed', '');
  return isJsonObject(value) ? { arguments: value as JsonObject } : invalid('malformed', JSON.stringify(value));
}

/** Whether a value says anything as arguments: what is absent, `null`, empty text or an object without keys does not. */
export function hasArguments(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) || Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '';
}

function invalid(reason: InvalidArguments['reason'], text: string): ParsedArguments {
  return { arguments: {}, invalid: { reason, text } };
}

/** Whether JSON text ends inside a string, an object or an array. */
function isUnfinished(text: string): boolean {
  const brackets = createBrackets();
  for (let at = 0; at !== -1;) at = brackets.take(text, at);
  return brackets.isInside;
}
