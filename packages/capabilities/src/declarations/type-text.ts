/** A type as text, with its precedence inside a larger type. */
export interface TypeText {
  readonly text: string;
  /** Precedence of the outermost operator: `A | B`, `A & B`, or none. */
  readonly binds: 'union' | 'intersection' | 'tight';
}

/** The type `unknown`. */
export const unknownType: TypeText = { text: 'unknown', binds: 'tight' };

/** Returns a type that never needs parentheses. */
export function tight(text: string): TypeText {
  return { text, binds: 'tight' };
}

/** Returns the union of types; `unknown` if one of them is `unknown`. */
export function unionOf(types: readonly TypeText[]): TypeText {
  if (types.some((type) => type.text === 'unknown')) return unknownType;
  const texts = [...new Set(types.map((type) => type.text))];
  if (texts.length === 1) return types[0] ?? unknownType;
  return texts.length === 0 ? unknownType : { text: texts.join(' | '), binds: 'union' };
}

/** Returns the intersection of types, leaving out those that are `unknown`. */
export function intersectionOf(types: readonly TypeText[]): TypeText {
  const known = types.filter((type) => type.text !== 'unknown');
  const texts = [...new Set(known.map((type) => (type.binds === 'union' ? `(${type.text})` : type.text)))];
  if (texts.length === 1) return known[0] ?? unknownType;
  return texts.length === 0 ? unknownType : { text: texts.join(' & '), binds: 'intersection' };
}

/** Returns the array type of an item type. */
export function arrayOf(item: TypeText): TypeText {
  return tight(item.binds === 'tight' ? `${item.text}[]` : `(${item.text})[]`);
}

/** Returns a property name as TypeScript writes it, quoted where necessary. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** Returns a JSON value as a literal type; `undefined` when it is too large. */
export function literalType(value: unknown, depth: number = 0): string | undefined {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === 'string') return value.length > 500 ? undefined : JSON.stringify(value);
  if (typeof value !== 'object' || depth > 4) return undefined;
  const entries = Object.entries(value);
  if (entries.length > 50) return undefined;
  const types = entries.map(([key, child]) => [key, literalType(child, depth + 1)] as const);
  if (types.some(([, type]) => type === undefined)) return undefined;
  if (Array.isArray(value)) return `[${types.map(([, type]) => type).join(', ')}]`;
  return types.length === 0 ? '{}' : `{ ${types.map(([key, type]) => `${propertyName(key)}: ${type}`).join('; ')} }`;
}

/** Returns a doc comment, on one line if it fits; empty without text. */
export function docComment(lines: readonly string[], indentation: string): string {
  const texts = lines
    .flatMap((line) => line.split(/\r\n|[\n\r\u2028\u2029]/))
    .map((line) => line.trimEnd().replaceAll('*/', '*\\/'));
  while (texts.at(-1) === '') texts.pop();
  if (texts.length === 0) return '';
  if (texts.length === 1) return `${indentation}/** ${texts[0]} */\n`;
  return `${indentation}/**\n${texts.map((line) => `${indentation} * ${line}`.trimEnd()).join('\n')}\n${indentation} */\n`;
}

/** Source of unique type names. */
export interface TypeNames {
  /** Returns an unused name made of a prefix and the last part of a `$ref`. */
  add(prefix: string, ref: string): string;
}

/** Creates a source of names that are identifiers and differ from the names in `taken`. */
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

/** Returns the expression by which a script refers to a tool. */
export function referenceOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `tools.${name}` : `tools[${JSON.stringify(name)}]`;
}

/** Returns a call of a tool as a script writes it. */
export function callOf(name: string): string {
  return `${referenceOf(name)}(args)`;
}
