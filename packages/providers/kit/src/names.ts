import { shortHash } from './ids.ts';

/** Rules of a provider for tool names. */
export interface NameRules {
  /** Forbidden characters, with the `g` flag; each becomes an underscore. */
  readonly forbidden: RegExp;
  readonly maxLength: number;
  /** Pattern of the first character; a name that does not match gets a leading underscore. */
  readonly first?: RegExp;
}

/** Rules that every provider accepts: `[a-zA-Z0-9_-]{1,64}`. */
export const commonNameRules: NameRules = { forbidden: /[^a-zA-Z0-9_-]/gu, maxLength: 64 };

/** Two tools with the same name on the wire; the second is not offered. */
export interface NameConflict {
  readonly refused: string;
  readonly kept: string;
  readonly wireName: string;
}

/** Two-way map between tool names and names on the wire. */
export interface NameMap {
  /** Converts any name, including one that only appears in the history. */
  toWire(name: string): string;
  /** Converts a name back; a name that a model invented is returned unchanged. */
  fromWire(wireName: string): string;
  readonly conflicts: readonly NameConflict[];
}

const suffixLength = 8;

/**
 * Maps names so that each is unique on the wire: forbidden characters become underscores, and a long name is cut and
 * ends in a hash of the whole. A name that needs no change takes precedence; of two others that collide, the first one
 * stays and the second is a conflict.
 */
export function createNameMap(names: readonly string[], rules: NameRules = commonNameRules): NameMap {
  const back = new Map<string, string>();
  const conflicts: NameConflict[] = [];
  const changed: string[] = [];
  for (const name of names) {
    if (wireNameOf(name, rules) === name) back.set(name, name);
    else changed.push(name);
  }
  for (const name of changed) {
    const wireName = wireNameOf(name, rules);
    const kept = back.get(wireName);
    if (kept === undefined) back.set(wireName, name);
    else if (kept !== name) conflicts.push({ refused: name, kept, wireName });
  }
  return {
    conflicts,
    toWire: (name) => wireNameOf(name, rules),
    fromWire: (wireName) => back.get(wireName) ?? wireName,
  };
}

function wireNameOf(name: string, { forbidden, maxLength, first }: NameRules): string {
  let wireName = name.replace(forbidden, '_');
  if (first?.test(wireName) === false || wireName === '') wireName = `_${wireName}`;
  if (wireName.length <= maxLength) return wireName;
  return `${wireName.slice(0, maxLength - suffixLength - 1)}_${shortHash(name, suffixLength)}`;
}
