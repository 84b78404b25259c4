/** A part of what an interface sends or takes, read field by field: servers that speak it leave out different ones. */
export type Wire = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isWire(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text that says something. */
export function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The objects of a list; empty for anything else. */
export function listOf(value: unknown): readonly Wire[] {
  return Array.isArray(value) ? value.filter(isWire) : [];
}
