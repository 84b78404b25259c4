import { shortHash } from './ids.ts';

/** What a provider accepts as the name of a tool. */
export interface NameRules {
  /** Characters that may not stand in a name, with the `g` flag; each becomes an underscore. */
  readonly forbidden: RegExp;
  readonly maxLength: number;
  /** What the first character must match; an underscore is put before a name that does not. */
  readonly first?: RegExp;
}

/** `[a-zA-Z0-9_-]{1,64}`: what every provider accepts. */
export const commonNameRules: NameRules = { forbidden: /[^a-zA-Z0-9_-]/gu, maxLength: 64 };

/** Two tools that would have one name on the wire; the second is not offered. */
export interface NameConflict {
  readonly refused: string;
  readonly kept: string;
  readonly wireName: string;
}

/** Both ways between the names of tools and those on the wire. */
export interface NameMap {
  /** Any name, one that only the history still has included. */
  toWire(name: string): string;
  /** A name that a model made up comes back as it is. */
  fromWire(wireName: string): string;
  readonly conflicts: readonly NameConflict[];
}

const suffixLength = 8;

/**
 * Maps names so that each has its own on the wire: forbidden characters become underscores, a name that is too long is cut
 * and ends in a hash of the whole. A name that needs no change keeps it before any that does; of two that still meet, the
 * first one stays and the other is a conflict.
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
