const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
const schemaKeywords = ['additionalProperties', 'items', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'];
const listKeywords = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const mapKeywords = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/**
 * Returns the structural problems of a JSON Schema: a keyword with a value of the wrong kind, an unknown
 * type, a pattern that does not compile, a local `$ref` to nothing. It is not a full validation of the dialect.
 */
export function schemaProblems(root: unknown): readonly string[] {
  const problems: string[] = [];

  function visit(schema: unknown, at: string): void {
    if (typeof schema === 'boolean') return;
    if (!isRecord(schema)) return void problems.push(`${at} is neither an object nor a boolean`);
    checkKeywords(schema, at);
    for (const keyword of schemaKeywords) {
      const inner = schema[keyword];
      if (inner !== undefined && !Array.isArray(inner)) visit(inner, `${at}.${keyword}`);
    }
    for (const keyword of listKeywords) {
      const inner = schema[keyword];
      if (inner === undefined) continue;
      if (!Array.isArray(inner) || inner.length === 0) problems.push(`${at}.${keyword} is not a list with entries`);
      else inner.forEach((entry, index) => visit(entry, `${at}.${keyword}[${index}]`));
    }
    for (const keyword of mapKeywords) {
      const inner = schema[keyword];
      if (inner === undefined) continue;
      if (!isRecord(inner)) problems.push(`${at}.${keyword} is not an object`);
      else for (const [key, entry] of Object.entries(inner)) visit(entry, `${at}.${keyword}.${key}`);
    }
  }

  function checkKeywords(schema: Readonly<Record<string, unknown>>, at: string): void {
    const { type, required, enum: values, pattern, $ref } = schema;
    const unknownTypes = [type ?? []].flat().filter((name) => !types.includes(name as string));
    if (unknownTypes.length > 0) problems.push(`${at}.type names no type: ${JSON.stringify(unknownTypes)}`);
    if (required !== undefined && !isNameList(required)) problems.push(`${at}.required is not a list of names`);
    if (values !== undefined && !(Array.isArray(values) && values.length > 0))
      problems.push(`${at}.enum has no values`);
    if (pattern !== undefined && !compiles(pattern)) problems.push(`${at}.pattern does not compile`);
    if (typeof $ref === 'string' && $ref.startsWith('#/') && !pointsSomewhere(root, $ref)) {
      problems.push(`${at}.$ref points to nothing: ${$ref}`);
    }
  }

  visit(root, 'schema');
  return problems;
}

/** Returns true if a value is an object and not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNameList(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function compiles(pattern: unknown): boolean {
  try {
    return typeof pattern === 'string' && new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function pointsSomewhere(root: unknown, pointer: string): boolean {
  let place: unknown = root;
  for (const segment of pointer.split('/').slice(1)) {
    const key = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return false;
    place = (place as Record<string, unknown>)[key];
  }
  return true;
}
