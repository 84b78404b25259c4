/** Follows JSON by its brackets and quotes alone, in text that comes in pieces and that need not be JSON. */
export interface Brackets {
  /** Whether the text so far ends inside a string, an object or a list. */
  readonly isInside: boolean;
  /** Goes on with a text from this place: the place behind a bracket that closes all that was open, -1 without one. */
  take(text: string, from: number): number;
}

/** Brackets of one text. */
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
