/** Text as one word of the shell of this platform, in quotes when it needs them. */
export function shellWord(text: string): string {
  if (/^[\w./@-]+$/.test(text)) return text;
  return process.platform === 'win32' ? `"${text}"` : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
