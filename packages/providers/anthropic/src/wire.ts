/** A text, or nothing where there is something else. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
