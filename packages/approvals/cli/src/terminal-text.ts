/**
 * Wraps printable text into rows of at most `columns` columns. A character outside ASCII counts as two columns, so that
 * the terminal itself never wraps and each row keeps the prefix that the caller adds.
 */
export function wrap(text: string, columns: number): readonly string[] {
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const character of text) {
    const size = character <= '~' ? 1 : 2;
    if (width + size > columns) {
      rows.push(row);
      row = '';
      width = 0;
    }
    row += character;
    width += size;
  }
  return [...rows, row];
}

/**
 * The text with everything escaped that a terminal would act on or not show: control characters, ANSI escapes, text
 * direction marks, invisible and unassigned characters. The escapes are JSON's, so JSON stays the same JSON.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{DI}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
  );
}

function escapeUnit(unit: number): string {
  if (unit === 0x0a) return String.raw`\n`;
  return String.raw`\u${unit.toString(16).padStart(4, '0')}`;
}
