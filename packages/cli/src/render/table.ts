import { stripVTControlCharacters } from 'node:util';

/** Returns rows as lines with aligned columns; the last column keeps its own width. Cells may carry styles. */
export function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  }
  return rows.map((row) => {
    const last = row.length - 1;
    const cells = row.map((cell, column) =>
      column === last ? cell : cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)),
    );
    return cells.join('  ').trimEnd();
  });
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
