/** A property name as TypeScript writes it, quoted where it must be. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A JSON value as a literal type; `undefined` when it is too large to be one. */
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

/** A doc comment, on one line where it fits; empty when there is nothing to say. */
export function docComment(lines: readonly string[], indentation: string): string {
  const texts = lines
    .flatMap((line) => line.split(/\r\n|[\n\r\u2028\u2029]/))
    .map((line) => line.trimEnd().replaceAll('*/', '*\\/'));
  while (texts.at(-1) === '') texts.pop();
  if (texts.length === 0) return '';
  if (texts.length === 1) return `${indentation}/** ${texts[0]} */\n`;
  return `${indentation}/**\n${texts.map((line) => `${indentation} * ${line}`.trimEnd()).join('\n')}\n${indentation} */\n`;
}
