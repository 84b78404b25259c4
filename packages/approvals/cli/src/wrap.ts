/**
 * Printable text in rows of at most `columns` columns. Whatever is not ASCII counts as two columns, so that the
 * terminal never wraps by itself and each row keeps the prefix that its caller puts before it.
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
