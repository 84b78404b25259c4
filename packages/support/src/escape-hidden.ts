/**
 * Returns text with its control and format characters as escapes, `\u{202e}`, so that a person sees them and a terminal does not act
 * on them. Line breaks and tabs stay.
 */
export function escapeHidden(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, (character) =>
    [...character].map((part) => `\\u{${(part.codePointAt(0) ?? 0).toString(16)}}`).join(''),
  );
}
