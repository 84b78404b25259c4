import type { Page } from '@ravi/api';
import type { Invocation } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { tableLines } from './table.ts';
import { visible } from './visible.ts';

/** Prints a page of a list, a row for each entry, and says how to get the next page; as JSON it is the answer as it came. */
export function printList<Item>(
  page: Page<Item>,
  { isJson }: Pick<Invocation, 'isJson'>,
  { print, warn }: Terminal,
  rowOf: (item: Item) => readonly string[],
): void {
  if (isJson) return print(JSON.stringify(page));
  for (const line of tableLines(page.items.map(rowOf))) print(line);
  if (page.items.length === 0) warn('There are none.');
  if (page.next !== undefined) warn(visible(`There are more: --cursor ${page.next}`));
}
