/** A part of what the interface sends or takes, read field by field: servers that speak it leave out different ones. */
export type Wire = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isWire(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text, or nothing where there is something else. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
