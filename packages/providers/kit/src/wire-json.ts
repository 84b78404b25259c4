/** An escape that `JSON.stringify` writes for half of a surrogate pair, which providers answer with 400. */
const loneSurrogate = /\\ud[89a-f]/iu;

/** JSON text for the wire: a lone surrogate, as a cut in the middle of a character leaves it, becomes U+FFFD. */
export function wireJson(value: unknown): string {
  const text = JSON.stringify(value);
  return loneSurrogate.test(text) ? JSON.stringify(wellFormed(value)) : text;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key.toWellFormed(), wellFormed(entry)]));
}
