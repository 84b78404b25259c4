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

// Without recursion: content may nest as deep as its bytes allow.
function find(root: unknown): string | undefined {
  const open = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      if (isPolluting(key, child)) return key;
      open.push(child);
    }
  }
  return undefined;
}
