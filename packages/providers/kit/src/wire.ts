/** A part of what an interface sends or takes, read field by field: servers that speak it leave out different ones. */
export type Wire = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isWire(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON object in a text; `undefined` when there is none. */
export function parsedWire(text: string): Wire | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isWire(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Text that says something. */
export function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
