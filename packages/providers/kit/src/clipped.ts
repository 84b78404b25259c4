/** The beginning of a text, `maxCharacters` at most, 1000 when absent; no character is cut in two. */
export function clipped(text: string, maxCharacters: number = 1000): string {
  const characters = Array.from(text.slice(0, 4 * maxCharacters));
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join('')}…` : text;
}
