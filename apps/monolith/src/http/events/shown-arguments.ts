import type { JsonObject } from '@ravi/kernel';

/** Returns the redacted arguments of a call as an object; as text under `preview` if they were cut. */
export function shownArguments({ argsPreview }: JsonObject): JsonObject {
  if (typeof argsPreview !== 'string') return {};
  try {
    return JSON.parse(argsPreview) as JsonObject;
  } catch {
    return { preview: argsPreview };
  }
}
