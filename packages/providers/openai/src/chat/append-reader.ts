/** Events that bring more arguments and are else like the one before, read without parsing them whole. */
export interface AppendReader {
  /** The arguments that an event brings; `undefined` when it has to be parsed. */
  read(data: string): string | undefined;
  /** An event was parsed: what it brought when it did nothing else, else `undefined`. */
  learn(data: string, appended: string | undefined): void;
}

/** Where events always differ in more than their arguments, it is not worth looking. */
const maxMisses = 8;

/**
 * Nearly all of a long tool call is events that differ in one text. What stands before and behind that text is compared
 * letter by letter with the last event that was parsed, and the text itself must be one JSON string, so the rest of the
 * event says what it said there. Parsing each of them whole takes twice the time of everything else.
 */
export function createAppendReader(): AppendReader {
  let before = '';
  let behind = '';
  let hasTemplate = false;
  let misses = 0;

  return {
    read(data) {
      if (!hasTemplate || data.length < before.length + behind.length) return undefined;
      if (!data.startsWith(before) || !data.endsWith(behind)) return undefined;
      misses = 0;
      return stringOf(data.slice(before.length, data.length - behind.length));
    },
    learn(data, appended) {
      hasTemplate = false;
      if (appended === undefined || appended === '' || misses >= maxMisses) return;
      misses++;
      const literal = JSON.stringify(appended);
      const at = data.indexOf(literal);
      if (at === -1 || !/"arguments":\s*$/u.test(data.slice(0, at))) return;
      before = data.slice(0, at + 1);
      behind = data.slice(at + literal.length - 1);
      hasTemplate = true;
    },
  };
}

/** What a JSON string says, without its quotes; `undefined` when it is not one whole string. */
function stringOf(inside: string): string | undefined {
  if (!/["\\\u0000-\u001f]/u.test(inside)) return inside;
  try {
    return JSON.parse(`"${inside}"`) as string;
  } catch {
    return undefined;
  }
}
