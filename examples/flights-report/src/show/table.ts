import { styleText } from 'node:util';

/** One column of a text table. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Lines of a table with aligned columns. Colour only where the standard output shows it. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align = 'left' }, index) => {
        const [cell = '', width = 0] = [cells[index], widths[index]];
        return align === 'right' ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const head = line(columns.map(({ title }) => title));
  return [faint(head), ...rows.map(line)].map((text) => `  ${text}`);
}

/** A heading. */
export function heading(text: string): string {
  return styleText('bold', text, { stream: process.stdout });
}

/** Text of less weight. */
export function faint(text: string): string {
  return styleText('dim', text, { stream: process.stdout });
}

/** `9.9 MB`, `370.4 kB`, `12 B` */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** `3 470 742`, in groups of three. */
export function count(value: number): string {
  return value.toLocaleString('en').replaceAll(',', ' ');
}
