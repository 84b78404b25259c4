/** A Markdown table. A cell may hold Markdown, but no HTML: bars, stars, line breaks and what looks like a tag are made harmless. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  const parts = text.replaceAll('\n', ' ').replaceAll('|', '\\|').split('`');
  return parts
    .map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;').replaceAll('*', '\\*') : part))
    .join('`');
}
