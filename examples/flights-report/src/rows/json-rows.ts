import type { Row } from './row.ts';
import type { RowReader } from './row-reader.ts';

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Reads the rows of a JSON document while it arrives: the elements of the array that the document is, or of the first
 * array directly inside the object that it is (`features` of GeoJSON). It only finds where rows end; whole rows are then
 * parsed together, so that no piece of work is larger than the piece that arrived.
 */
export function createJsonRowReader(): RowReader {
  let text = '';
  let position = 0;
  let depth = 0;
  let isInString = false;
  /** Depth inside the array of rows; 0 until it is found. */
  let rowsDepth = 0;
  let rowsStart = 0;
  let lastRowEnd = 0;
  let isOver = false;

  function scan(): void {
    for (; position < text.length && !isOver; position++) {
      const code = text.charCodeAt(position);
      if (isInString) {
        if (code === backslash) position++;
        else if (code === quote) isInString = false;
      } else if (code === quote) {
        isInString = true;
      } else if (code === openBrace || code === openBracket) {
        depth++;
        if (rowsDepth === 0 && code === openBracket && depth <= 2) {
          rowsDepth = depth;
          rowsStart = position + 1;
          lastRowEnd = rowsStart;
        }
      } else if (code === closeBrace || code === closeBracket) {
        depth--;
        if (rowsDepth > 0 && depth === rowsDepth) lastRowEnd = position + 1;
        isOver = rowsDepth > 0 && depth < rowsDepth;
      }
    }
  }

  function take(): readonly Row[] {
    if (rowsDepth === 0) return [];
    // The last piece reaches to the bracket, so that text that is not a row is reported.
    if (isOver) lastRowEnd = position - 1;
    const complete = text.slice(rowsStart, lastRowEnd).replace(/^\s*,/, '');
    // May be past the text: a backslash at its end has skipped the first character of the next piece.
    position -= lastRowEnd;
    text = text.slice(lastRowEnd);
    rowsStart = 0;
    lastRowEnd = 0;
    return complete === '' ? [] : checkRows(JSON.parse(`[${complete}]`));
  }

  return {
    push(piece) {
      if (isOver) return [];
      text += piece;
      scan();
      return take();
    },
    end() {
      if (!isOver) throw new Error(rowsDepth === 0 ? 'The JSON holds no array of rows' : 'The JSON ends inside a row');
      return [];
    },
  };
}

function checkRows(values: readonly unknown[]): readonly Row[] {
  for (const value of values) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new TypeError(`A row must be an object, got ${JSON.stringify(value).slice(0, 40)}`);
    }
  }
  return values as readonly Row[];
}
