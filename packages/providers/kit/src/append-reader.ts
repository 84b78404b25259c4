/** Events that bring more of one text and are else like the one before, read without parsing them whole. */
export interface AppendReader {
  /** The text that an event brings; `undefined` when it has to be parsed. */
  read(data: string): string | undefined;
  /** An event was parsed: what it brought when it did nothing else, else `undefined`. */
  learn(data: string, appended: string | undefined): void;
}

/** Where events always differ in more than their text, it is not worth looking. */
const maxMisses = 8;

/** A longer event is parsed: the engine keeps a way back for every character of a text. */
const maxChars = 65_536;

/**
 * Nearly all of a long answer is events that differ in one text. Of the last event that was parsed a pattern is made: all
 * but the text as it was, letter by letter, apart from spaces that pad its end and from what `counters` say, and the text
 * as one JSON string. What fits says what that event said. Parsing each of them whole takes twice the time of everything
 * else.
 * @param fields what the text may be called
 * @param counters fields of a number or a word that nobody reads, which may be another one in each event
 */
export function createAppendReader(fields: readonly string[], counters: readonly string[] = []): AppendReader {
  const opening = new RegExp(`"(?:${fields.join('|')})":\\s*$`, 'u');
  const counter = new RegExp(`("(?:${counters.join('|')})":\\s*)(?:\\d+|"\\w*")`, 'gu');
  let template: RegExp | undefined;
  let misses = 0;

  const patternOf = (text: string): string => {
    const exact = text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
    return counters.length === 0 ? exact : exact.replace(counter, String.raw`$1(?:\d+|"\w*")`);
  };

  return {
    read(data) {
      if (template === undefined || data.length > maxChars) return undefined;
      const inside = template.exec(data)?.[1];
      if (inside === undefined) return undefined;
      misses = 0;
      return inside.includes('\\') ? unescaped(inside) : inside;
    },
    learn(data, appended) {
      template = undefined;
      if (appended === undefined || appended === '' || misses >= maxMisses) return;
      misses++;
      const literal = JSON.stringify(appended);
      const at = data.indexOf(literal);
      if (at === -1 || !opening.test(data.slice(0, at))) return;
      const before = patternOf(data.slice(0, at));
      const behind = data.slice(at + literal.length);
      const ending = behind.includes('"') ? patternOf(behind) : [...behind.replaceAll(' ', '')].map(padded).join('');
      template = new RegExp(`^${before}"([^"\\\\\\0-\\x1f]*(?:\\\\.[^"\\\\\\0-\\x1f]*)*)"${ending}$`, 'u');
    },
  };

  function padded(character: string): string {
    return ` *${patternOf(character)}`;
  }
}

/** What is inside a JSON string; `undefined` when it is not one whole string. */
function unescaped(inside: string): string | undefined {
  try {
    return JSON.parse(`"${inside}"`) as string;
  } catch {
    return undefined;
  }
}
