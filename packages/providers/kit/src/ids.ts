import { hash } from 'node:crypto';

/** What a provider accepts as the id of a call. */
export interface IdRules {
  readonly pattern: RegExp;
  /** Of an id that is made because the given one does not fit; the result must match `pattern`. */
  readonly prefix: string;
  /** Of such an id, its prefix included. */
  readonly length: number;
}

/** `[a-zA-Z0-9_-]{1,64}`: what most providers accept. */
export const commonIdRules: IdRules = { pattern: /^[a-zA-Z0-9_-]{1,64}$/u, prefix: 'call_', length: 29 };

/**
 * Internal ids to ids on the wire, one to one: an id that fits stays, another is replaced by a hash of it. The same ids in
 * the same order give the same result, so that a longer history begins like a shorter one.
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

/** Gives each call of an answer its internal id. */
export type IdSource = (providerId: string | null | undefined) => string;

/**
 * Takes the provider's id where it has one that the conversation does not use yet, and makes one (`call-<n>`) where it is
 * missing, empty, the word `null`, or repeated.
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

/** Whether a provider's id is one: neither missing nor empty nor the word `null`. */
export function isUsable(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id !== 'null' && id !== 'undefined' && id !== 'None';
}

const digits = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** `length` letters and digits that depend on all of `text`: base 62 of its SHA-256, at most 40. */
export function shortHash(text: string, length: number): string {
  let rest = BigInt(`0x${hash('sha256', text)}`);
  let out = '';
  while (out.length < length) {
    out += digits[Number(rest % 62n)];
    rest /= 62n;
  }
  return out;
}
