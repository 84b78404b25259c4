/** Returns Python source without the indentation that all its lines share. */
export function script(text: string): string {
  const lines = text.replace(/^\n|\n *$/g, '').split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  return lines.map((line) => line.slice(Math.min(...indents))).join('\n');
}
