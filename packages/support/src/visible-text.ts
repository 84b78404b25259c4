import type { JsonObject, JsonValue } from '@ravi/kernel';

// Escape sequences of terminals: CSI, OSC up to its end, and the others of two characters.
const escapes =
  /(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,16}[@-~]|\u001b\][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)|\u001b[ -~]?/g;
// Controls except tab and line ends, directions of text, invisible operators, tags, and the selectors that can carry bytes.
const hidden =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

/**
 * Returns text without characters that a person cannot see but a model reads or a terminal obeys: escape sequences, control
 * characters, changes of direction, and tag characters. Joiners and direction marks, which some languages need, stay.
 */
export function visibleText(text: string): string {
  const clean = text.replaceAll(escapes, '').replaceAll(hidden, '');
  return clean.length === text.length ? text : clean;
}

/**
 * Returns text with its control and format characters as escapes, `\u{202e}`, so that a person sees them and a terminal does not act
 * on them. Line breaks and tabs stay.
 */
export function escapeHidden(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, (character) =>
    [...character].map((part) => `\\u{${(part.codePointAt(0) ?? 0).toString(16)}}`).join(''),
  );
}

/** Keywords of JSON Schema whose text only describes. */
const descriptions = new Set(['description', 'title', '$comment']);
/** Keywords whose values are compared with values of arguments. */
const constants = new Set(['const', 'enum', 'default', 'examples', 'pattern']);

/** Returns a schema whose descriptions are {@link visibleText}, and the first other text that is not visible as a problem. */
export function withVisibleText(schema: JsonObject): { readonly schema: JsonObject; readonly problem?: string } {
  let problem: string | undefined;

  function clean(value: JsonValue, isCompared: boolean, isName: boolean): JsonValue {
    if (typeof value === 'string') {
      if (isCompared) checkVisible(value);
      return value;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each: JsonValue) => clean(each, isCompared, false));
    const copy: Record<string, JsonValue> = {};
    for (const [key, child] of Object.entries(value as JsonObject)) {
      checkVisible(key);
      const isKeyword = !isCompared && !isName;
      const isDescription = isKeyword && descriptions.has(key) && typeof child === 'string';
      const cleaned = isDescription
        ? visibleText(child)
        : clean(child, isCompared || (isKeyword && constants.has(key)), isKeyword && maps.has(key));
      // Not an assignment: a property may be named `__proto__`.
      Object.defineProperty(copy, key, { value: cleaned, enumerable: true, configurable: true, writable: true });
    }
    return copy;
  }

  function checkVisible(text: string): void {
    if (problem === undefined && visibleText(text) !== text)
      problem = `"${visibleText(text)}" has invisible characters`;
  }

  const cleaned = clean(schema, false, false) as JsonObject;
  return problem === undefined ? { schema: cleaned } : { schema: cleaned, problem };
}

/** Keywords whose keys are names of properties or definitions, not keywords. */
const maps = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependentRequired',
]);
