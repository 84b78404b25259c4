/** A type as text, with what it takes to put it into a larger one. */
export interface TypeText {
  readonly text: string;
  /** How loosely it binds: `A | B`, `A & B`, or neither. */
  readonly binds: 'union' | 'intersection' | 'tight';
}

/** The type of which nothing is known. */
export const unknownType: TypeText = { text: 'unknown', binds: 'tight' };

/** A type that needs no parentheses anywhere. */
export function tight(text: string): TypeText {
  return { text, binds: 'tight' };
}

/** One of the types; nothing is known when nothing is known of one. */
export function unionOf(types: readonly TypeText[]): TypeText {
  if (types.some((type) => type.text === 'unknown')) return unknownType;
  const texts = [...new Set(types.map((type) => type.text))];
  if (texts.length === 1) return types[0] ?? unknownType;
  return texts.length === 0 ? unknownType : { text: texts.join(' | '), binds: 'union' };
}

/** All of the types at once; those of which nothing is known add nothing. */
export function intersectionOf(types: readonly TypeText[]): TypeText {
  const known = types.filter((type) => type.text !== 'unknown');
  const texts = [...new Set(known.map((type) => (type.binds === 'union' ? `(${type.text})` : type.text)))];
  if (texts.length === 1) return known[0] ?? unknownType;
  return texts.length === 0 ? unknownType : { text: texts.join(' & '), binds: 'intersection' };
}

/** A list of the type. */
export function arrayOf(item: TypeText): TypeText {
  return tight(item.binds === 'tight' ? `${item.text}[]` : `(${item.text})[]`);
}
