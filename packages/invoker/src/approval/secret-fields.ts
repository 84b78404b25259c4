import type { JsonObject, JsonSchema, JsonValue } from '@ravi/kernel';

/** The schemas that apply to one value. */
export type SchemasAt = readonly JsonSchema[];

// Bounds the work for a schema that refers to itself.
const maxSchemas = 64;

// Names that a tool gives to nothing but a credential. A model cannot choose them: they count only if the schema declares them.
const credentialName =
  /^(?:pass(?:word|wd|phrase)|client[-_]?secret|api[-_]?key|private[-_]?key|(?:access|refresh|auth|id)[-_]?token|authorization)$/i;
const secretHeader =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|api-key|x-auth-token|x-access-token|x-csrf-token|x-amz-security-token)$/i;
const headersName = /headers?$/i;

/** Returns the schemas of a value and of everything that they combine or refer to within `root`. */
export function expandSchemas(schemas: SchemasAt, root: JsonSchema): SchemasAt {
  const found = new Set<JsonSchema>();
  const queue = [...schemas];
  for (let schema = queue.shift(); schema !== undefined && found.size < maxSchemas; schema = queue.shift()) {
    if (!isSchema(schema) || found.has(schema)) continue;
    found.add(schema);
    const { $ref, allOf, anyOf, oneOf, then, else: otherwise } = schema as Readonly<Record<string, unknown>>;
    if (typeof $ref === 'string') queue.push(...asSchemas([lookUp($ref, root)]));
    queue.push(...asSchemas([allOf, anyOf, oneOf, then, otherwise].flat()));
  }
  return [...found];
}

/** Returns the schemas that apply to a member of an object. */
export function memberSchemas(schemas: SchemasAt, key: string): SchemasAt {
  return schemas.flatMap((schema) => {
    const { properties, patternProperties, additionalProperties } = schema;
    const own = isSchema(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [];
    if (own.length > 0) return asSchemas(own);
    return asSchemas([...(isSchema(patternProperties) ? Object.values(patternProperties) : []), additionalProperties]);
  });
}

/** Returns the schemas that apply to an entry of a list. */
export function entrySchemas(schemas: SchemasAt, index: number): SchemasAt {
  return schemas.flatMap((schema) => {
    const { items, prefixItems } = schema;
    const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    return asSchemas(index < tuple.length ? [tuple[index]] : [items]);
  });
}

/** True if the schema says that a string is a secret: `writeOnly`, or the format `password`. */
export function isSecretSchema(schemas: SchemasAt): boolean {
  return schemas.some((schema) => schema['writeOnly'] === true || schema['format'] === 'password');
}

/** True if the schema declares a member with a name that only credentials have. */
export function isDeclaredCredential(schemas: SchemasAt, key: string): boolean {
  if (!credentialName.test(key)) return false;
  return schemas.some(({ properties }) => isSchema(properties) && Object.hasOwn(properties, key));
}

/** Returns the keys of an object whose strings are values of HTTP headers with credentials. `name` is the key of the object. */
export function headerSecrets(value: JsonObject, name: string | undefined): readonly string[] {
  const isPair = ['name', 'key', 'header'].some((key) => {
    const header = Object.hasOwn(value, key) ? value[key] : undefined;
    return typeof header === 'string' && secretHeader.test(header);
  });
  if (isPair) return ['value', 'values'];
  if (name === undefined || !headersName.test(name)) return [];
  return Object.keys(value).filter((key) => secretHeader.test(key));
}

function lookUp($ref: string, root: JsonSchema): unknown {
  if (!$ref.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const step of $ref.slice(1).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isSchema(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

function asSchemas(values: readonly unknown[]): JsonSchema[] {
  return values.filter(isSchema);
}

function isSchema(value: unknown): value is JsonSchema & Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
