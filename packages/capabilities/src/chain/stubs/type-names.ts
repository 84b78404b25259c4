/** Names of types, each given out once. */
export interface TypeNames {
  /** A free name made of a prefix and the last part of a `$ref`. */
  add(prefix: string, ref: string): string;
}

/** Gives out names that are identifiers and differ from `taken` ones. */
export function createTypeNames(taken: Iterable<string> = []): TypeNames {
  const used = new Set(taken);
  return {
    add(prefix, ref) {
      const base = pascalCase(prefix) + pascalCase(ref.split('/').at(-1) ?? '');
      let name = base;
      for (let number = 2; used.has(name); number++) name = `${base}${number}`;
      used.add(name);
      return name;
    },
  };
}

function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^\d/.test(joined) ? `T${joined}` : joined;
}
