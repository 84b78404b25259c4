import { createHash } from 'node:crypto';

/** Rules of a provider for call ids. */
export interface IdRules {
  readonly pattern: RegExp;
  /** Prefix of a generated id, which replaces an id that does not match `pattern`. The generated id must match it. */
  readonly prefix: string;
  /** Length of a generated id, prefix included. */
  readonly length: number;
}

/** Rules of most providers: `[a-zA-Z0-9_-]{1,64}`. */
export const commonIdRules: IdRules = { pattern: /^[a-zA-Z0-9_-]{1,64}$/u, prefix: 'call_', length: 29 };

/**
 * Creates a one-to-one map from internal ids to ids on the wire. An id that fits stays; any other is replaced by its
 * hash. The same ids in the same order give the same result, so that a longer history has the same prefix as a shorter
 * one.
 */
export function createIdMap(rules: IdRules = commonIdRules): (id: string) => string {
  const wireIds = new Map<string, string>();
  const taken = new Set<string>();

  return (id) => {
    const known = wireIds.get(id);
    if (known !== undefined) return known;
    let wireId = id;
    for (let attempt = 0; !rules.pattern.test(wireId) || taken.has(wireId); attempt++) {
      wireId = rules.prefix + shortHash(`${attempt}:${id}`, rules.length - rules.prefix.length);
    }
    wireIds.set(id, wireId);
    taken.add(wireId);
    return wireId;
  };
}

/** Returns the internal id of the next call of a response. */
export type IdSource = (providerId: string | null | undefined) => string;

/**
 * Creates a source that keeps the provider's id if the conversation does not use it yet, and generates one (`call-<n>`)
 * if it is missing, empty, the word `null`, or repeated.
 */
export function createIdSource(usedIds: Iterable<string>): IdSource {
  const used = new Set(usedIds);
  let count = used.size;

  return (providerId) => {
    let id = isUsable(providerId) ? providerId : undefined;
    while (id === undefined || used.has(id)) id = `call-${++count}`;
    used.add(id);
    return id;
  };
}

/** Returns true if a provider's id is usable: not missing, empty or a word for nothing such as `null`. */
export function isUsable(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id !== 'null' && id !== 'undefined' && id !== 'None';
}

const digits = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Returns `length` letters and digits of the base 62 SHA-256 of `text`, at most 40. */
export function shortHash(text: string, length: number): string {
  let rest = BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
  let out = '';
  while (out.length < length) {
    out += digits[Number(rest % 62n)];
    rest /= 62n;
  }
  return out;
}
