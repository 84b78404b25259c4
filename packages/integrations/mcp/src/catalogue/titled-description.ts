/**
 * Returns the description of a tool with the title before it, unless the title only repeats the name or the description. Both are one
 * sentence, because lists of tools show the first one.
 */
export function titledDescription({
  name,
  title,
  description,
}: {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
}): string {
  if (title === undefined || description.includes(title)) return description;
  if (description === '') return title;
  return wordsOf(title) === wordsOf(name) ? description : `${title}: ${description}`;
}

function wordsOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
