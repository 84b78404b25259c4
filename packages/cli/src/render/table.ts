import { stripVTControlCharacters } from 'node:util';
import type { Page } from '@ravi/api';
import type { Invocation } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { visible } from './visible.ts';

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

/** Prints a page of a list as rows and how to get the next page. With `--json` it prints the response unchanged. */
export function printList<Item>(
  page: Page<Item>,
  { isJson }: Pick<Invocation, 'isJson'>,
  { print, warn }: Terminal,
  rowOf: (item: Item) => readonly string[],
): void {
  if (isJson) return print(JSON.stringify(page));
  for (const line of tableLines(page.items.map(rowOf))) print(line);
  if (page.items.length === 0) warn('Nothing to list.');
  if (page.next !== undefined) warn(visible(`More with --cursor ${page.next}`));
}
