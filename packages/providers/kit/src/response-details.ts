import type { JsonObject, JsonValue } from '@ravi/kernel';
import { isJsonObject } from './wire.ts';
import type { WireObject } from './wire.ts';

/** Collector of the facts of a response that no event has a field for. */
export interface ResponseDetails {
  /** Takes fields from a part of the response; lists of several parts are joined, other values are replaced. */
  take(part: WireObject, names: readonly string[]): void;
  /** Returns the facts; `undefined` if there are none. */
  end(): JsonObject | undefined;
}

/** Creates a collector. Absent, `null` and empty values do not count. */
export function createResponseDetails(): ResponseDetails {
  const details: Record<string, JsonValue> = {};
  return {
    take(part, names) {
      for (const name of names) {
        const value = part[name] as JsonValue | undefined;
        if (isNothing(value)) continue;
        details[name] = joined(details[name], value as JsonValue);
      }
    },
    end: () => (Object.keys(details).length === 0 ? undefined : details),
  };
}

function isNothing(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.values(value).every((inner) => isNothing(inner));
}

/** Joins lists, also those in the fields of two objects, such as `logprobs.content`. */
function joined(before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...(value as readonly JsonValue[])];
  if (!isJsonObject(before) || !isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    const known = before[key];
    return [key, Array.isArray(known) && Array.isArray(inner) ? [...known, ...inner] : inner] as const;
  });
  return { ...before, ...Object.fromEntries(entries) };
}
