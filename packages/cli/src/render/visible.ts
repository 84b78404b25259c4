/**
 * Text that a model, a tool or a server wrote, for a terminal: what a terminal would act on is escaped, line breaks and
 * tabs stay.
 */
export function visible(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, (character) =>
    [...character].map((part) => `\\u{${(part.codePointAt(0) ?? 0).toString(16)}}`).join(''),
  );
}
