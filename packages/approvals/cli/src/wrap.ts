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
