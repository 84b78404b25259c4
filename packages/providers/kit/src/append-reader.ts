/** Events that bring more of one text and are else like the one before, read without parsing them whole. */
export interface AppendReader {
  /** The text that an event brings; `undefined` when it has to be parsed. */
  read(data: string): string | undefined;
  /** An event was parsed: what it brought when it did nothing else, else `undefined`. */
  learn(data: string, appended: string | undefined): void;
}

/** Where events always differ in more than their text, it is not worth looking. */
const maxMisses = 8;

/**
 * Nearly all of a long answer is events that differ in one text. What stands before and behind that text is compared
 * letter by letter with the last event that was parsed, apart from spaces that pad the end of an event, and the text itself
 * must be one JSON string, so the rest of the event says what it said there. Parsing each of them whole takes twice the
 * time of everything else.
 * @param fields what the text may be called
 */
export function createAppendReader(fields: readonly string[]): AppendReader {
  const opening = new RegExp(`"(?:${fields.join('|')})":\\s*$`, 'u');
  let before = '';
  let behind = '';
  /** What is behind the text, without spaces, where that cannot be taken for a part of the text. */
  let closing: string | undefined;
  let hasTemplate = false;
  let misses = 0;

  const endOf = (data: string): number | undefined => {
    if (data.endsWith(behind)) return data.length - behind.length;
    const end = closing === undefined ? -1 : data.lastIndexOf('"');
    return end !== -1 && data.slice(end).replaceAll(' ', '') === closing ? end : undefined;
  };

  return {
    read(data) {
      // `startsWith` takes seven times as long for a prefix of this length.
      if (!hasTemplate || data.slice(0, before.length) !== before) return undefined;
      const end = endOf(data);
      if (end === undefined || end < before.length) return undefined;
      misses = 0;
      return stringOf(data.slice(before.length, end));
    },
    learn(data, appended) {
      hasTemplate = false;
      if (appended === undefined || appended === '' || misses >= maxMisses) return;
      misses++;
      const literal = JSON.stringify(appended);
      const at = data.indexOf(literal);
      if (at === -1 || !opening.test(data.slice(0, at))) return;
      before = data.slice(0, at + 1);
      behind = data.slice(at + literal.length - 1);
      closing = behind.includes('"', 1) ? undefined : behind.replaceAll(' ', '');
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
