/**
 * Rows of cells by RFC 4180, at most `maxRows`: cells in quotes may hold separators, line breaks and doubled quotes.
 * @see https://www.rfc-editor.org/rfc/rfc4180
 */
export function parseCsv(text: string, maxRows: number): readonly (readonly string[])[] {
  const rows: string[][] = [];
  const cells = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/gy;
  let row: string[] = [];
  for (const [whole, cell = '', separator = ''] of text.matchAll(cells)) {
    const isEnd = whole === '' && row.length === 0;
    if (isEnd) break;
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (separator === ',') continue;
    rows.push(row);
    row = [];
    if (rows.length >= maxRows || separator === '') break;
  }
  return rows;
}
