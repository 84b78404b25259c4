/** Whether a member may pollute prototypes when somebody merges it: `__proto__`, and `constructor` holding a `prototype`. */
export function isPolluting(key: string, value: unknown): boolean {
  if (key === '__proto__') return true;
  return key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

/** The first polluting key of parsed JSON at any depth; `text` is what it was parsed from. */
export function pollutingKeyIn(value: unknown, text: string): string | undefined {
  // Most content names neither, not even escaped, and need not be walked.
  return /__proto__|prototype|\\u00/i.test(text) ? find(value) : undefined;
}

function find(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const found = isPolluting(key, child) ? key : find(child);
    if (found !== undefined) return found;
  }
  return undefined;
}
