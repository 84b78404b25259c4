import type { JsonObject } from '@ravi/kernel';

/** The redacted arguments of a call as an object; under `preview` where they were too long to be told whole. */
export function shownArguments({ argsPreview }: JsonObject): JsonObject {
  if (typeof argsPreview !== 'string') return {};
  try {
    return JSON.parse(argsPreview) as JsonObject;
  } catch {
    return { preview: argsPreview };
  }
}
