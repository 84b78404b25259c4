/**
 * The text with everything escaped that a terminal would act on or not show: control characters, ANSI escapes, text
 * direction marks, invisible and unassigned characters. The escapes are JSON's, so JSON stays the same JSON.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{DI}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeUnit(character.charCodeAt(index))).join(''),
  );
}

function escapeUnit(unit: number): string {
  if (unit === 0x0a) return String.raw`\n`;
  return String.raw`\u${unit.toString(16).padStart(4, '0')}`;
}
