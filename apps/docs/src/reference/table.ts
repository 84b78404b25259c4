/**
 * A Markdown table, laid out as the formatter of the repository does. A cell may hold Markdown, but no HTML: bars, stars, line breaks
 * and what looks like a tag are made harmless.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => row.map(cell));
  const widths = head.map((_, column) => Math.max(3, ...lines.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...rest] = lines;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}

function cell(text: string): string {
  const parts = text.replaceAll('\n', ' ').replaceAll('|', '\\|').split('`');
  return parts
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;').replaceAll('*', '\\*') : part))
    .join('`')
    .trim();
}
