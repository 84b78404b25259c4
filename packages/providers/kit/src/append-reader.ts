/**
 * Fast reader of events that add to one text and otherwise equal the previous event: it does not parse them as a whole.
 */
export interface AppendReader {
  /** Returns the text that an event adds; `undefined` if the event must be parsed. */
  read(data: string): string | undefined;
  /** Learns from a parsed event: `appended` is the text that it added if it did nothing else, otherwise `undefined`. */
  learn(data: string, appended: string | undefined): void;
}

/** After this many failed patterns the reader gives up: the events differ in more than their text. */
const maxMisses = 8;

/** Longer events are parsed: the regular expression engine keeps a backtracking position for every character. */
const maxChars = 65_536;

/**
 * Creates a reader. Nearly all events of a long response differ in one text. The reader builds a pattern from the last
 * parsed event: everything but the text literally, apart from padding at its end and the values of `counters`, and the
 * text as one JSON string. An event that matches the pattern is read with it, because parsing every event takes twice
 * the time of everything else.
 * @param fields possible names of the text field
 * @param counters unused fields with a number or a word that differs in each event
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
      const rest = data.slice(at + literal.length);
      const ending = rest.includes('"') ? patternOf(rest) : [...rest.replaceAll(' ', '')].map(padded).join('');
      template = new RegExp(`^${before}"([^"\\\\\\0-\\x1f]*(?:\\\\.[^"\\\\\\0-\\x1f]*)*)"${ending}$`, 'u');
    },
  };

  function padded(character: string): string {
    return ` *${patternOf(character)}`;
  }
}

/** Returns the value of the inside of a JSON string; `undefined` if it is not one complete string. */
function unescaped(inside: string): string | undefined {
  try {
    return JSON.parse(`"${inside}"`) as string;
  } catch {
    return undefined;
  }
}
