/** Limits of a JSON text. */
export interface JsonTextLimits {
  /** Objects and lists inside each other. */
  readonly maxDepth: number;
  /** Values of every kind. */
  readonly maxValues: number;
}

/** Arguments nest up to 128 levels and hold up to 250 000 values; a text that contains them has little more. */
const withArguments: JsonTextLimits = { maxDepth: 256, maxValues: 262_144 };

const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
const lastSpace = 0x20;

/**
 * Returns why a JSON text is too expensive to be parsed, `undefined` if it is not. Parsing takes up to thirty times as long
 * for nested lists as for plain values, and blocks the process; this only reads characters. Text that is not JSON is left
 * to the parser. Without limits those of texts that contain arguments apply: 256 levels and 262 144 values.
 */
export function jsonTextProblem(text: string, limits: JsonTextLimits = withArguments): string | undefined {
  const { maxDepth, maxValues } = limits;
  let depth = 0;
  let values = 1;
  // A first value needs no comma.
  let isFirst = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit <= lastSpace) continue;
    if (isFirst && unit !== closeList && unit !== closeObject) values++;
    isFirst = false;
    if (unit === quote) index = endOfString(text, index);
    else if (unit === comma) values++;
    else if (unit === openList || unit === openObject) {
      isFirst = true;
      if (++depth > maxDepth) return `nests deeper than ${maxDepth} levels`;
    } else if (unit === closeList || unit === closeObject) depth--;
    if (values > maxValues) return `holds more than ${maxValues} values`;
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === quote) return index;
    if (unit === backslash) index++;
  }
  return text.length;
}
