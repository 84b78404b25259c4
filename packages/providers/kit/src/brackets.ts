/** Tracker of brackets and quotes in text that arrives in pieces and may not be JSON. */
export interface Brackets {
  /** True if the text so far ends inside a string, an object or an array. */
  readonly isInside: boolean;
  /** Reads `text` from this index. Returns the index after the bracket that closes everything open, or -1. */
  take(text: string, from: number): number;
}

/** Creates a tracker for one text. */
export function createBrackets(): Brackets {
  let depth = 0;
  let inString = false;
  let isEscaped = false;

  return {
    get isInside() {
      return inString || depth > 0;
    },
    take(text, from) {
      for (let at = from; at < text.length; at++) {
        const character = text[at];
        if (inString) {
          if (isEscaped) isEscaped = false;
          else if (character === '\\') isEscaped = true;
          else if (character === '"') inString = false;
        } else if (character === '"') inString = true;
        else if (character === '{' || character === '[') depth++;
        else if ((character === '}' || character === ']') && --depth <= 0) return at + 1;
      }
      return -1;
    },
  };
}
