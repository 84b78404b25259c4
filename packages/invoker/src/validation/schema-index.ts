import type { JsonSchema } from '@ravi/kernel';
import type { Dialect } from './check.ts';
import { subschemasOf } from './keywords/keyword-shapes.ts';

/** Part of a schema with its own `$id`; the whole schema is one, too. */
interface Resource {
  readonly uri: string;
  readonly root: JsonSchema;
  readonly anchors: Map<string, JsonSchema>;
  readonly dynamicAnchors: Map<string, JsonSchema>;
}

/** Target of a reference. */
export interface Target {
  readonly schema: JsonSchema | boolean;
  /** Root of the resource that the target belongs to. */
  readonly resource: JsonSchema;
  /** Name of the dynamic anchor that the reference named, if the target declares it. */
  readonly dynamicAnchor: string | undefined;
}

const rootUri = 'json-schema:///';

/** Index of the subschemas, identifiers and anchors of a schema. Every subschema is checked when it is indexed. */
export class SchemaIndex {
  readonly #dialect: Dialect;
  readonly #resourceOf = new Map<object, Resource>();
  readonly #byUri = new Map<string, Resource>();

  /** @throws Error naming the first keyword with an invalid value */
  constructor(root: JsonSchema, dialect: Dialect) {
    this.#dialect = dialect;
    this.#add(root, [], this.#openResource(root, rootUri));
  }

  /** Resolves a reference in `schema`. @throws Error if there is no such target */
  resolve(reference: string, schema: JsonSchema): Target {
    const from = this.#resourceOf.get(schema);
    const [uri, fragment] = split(reference, from?.uri ?? rootUri);
    const resource = uri === from?.uri ? from : this.#byUri.get(uri);
    const target = resource === undefined ? undefined : find(fragment, resource);
    if (resource === undefined || target === undefined) throw new Error(`can't resolve reference ${reference}`);
    if (typeof target === 'boolean') return { schema: target, resource: resource.root, dynamicAnchor: undefined };
    // A reference may lead to a place that is not a known keyword.
    if (!this.#resourceOf.has(target)) this.#add(target, [reference], resource);
    const isDynamic = fragment !== '' && resource.dynamicAnchors.get(fragment) === target;
    const { root } = this.#resourceOf.get(target) ?? resource;
    return { schema: target, resource: root, dynamicAnchor: isDynamic ? fragment : undefined };
  }

  /** Root of the resource that a subschema belongs to. */
  resourceOf(schema: JsonSchema): JsonSchema | undefined {
    return this.#resourceOf.get(schema)?.root;
  }

  /** Returns the schema with a dynamic anchor in the resource with this root. */
  dynamicAnchor(name: string, root: JsonSchema): JsonSchema | undefined {
    return this.#resourceOf.get(root)?.dynamicAnchors.get(name);
  }

  #add(schema: unknown, path: readonly string[], parent: Resource): void {
    if (typeof schema === 'boolean') return;
    if (!isObject(schema)) throw new Error(`${path.join('.')} must be object,boolean`);
    if (this.#resourceOf.has(schema)) return;
    const resource = this.#enter(schema, parent);
    this.#resourceOf.set(schema, resource);
    for (const [keyword, value] of Object.entries(schema)) {
      for (const child of subschemasOf(keyword, value, { path, dialect: this.#dialect })) {
        this.#add(child.schema, child.path, resource);
      }
    }
  }

  #enter(schema: JsonSchema, parent: Resource): Resource {
    const { $id, $anchor, $dynamicAnchor } = schema;
    let resource = parent;
    if (typeof $id === 'string' && this.#dialect === 'draft-07' && $id.startsWith('#')) {
      parent.anchors.set($id.slice(1), schema);
    } else if (typeof $id === 'string') {
      resource = this.#openResource(schema, split($id, parent.uri)[0], parent);
    }
    if (this.#dialect === 'draft-07') return resource;
    if (typeof $anchor === 'string') resource.anchors.set($anchor, schema);
    if (typeof $dynamicAnchor === 'string') {
      resource.anchors.set($dynamicAnchor, schema);
      resource.dynamicAnchors.set($dynamicAnchor, schema);
    }
    return resource;
  }

  #openResource(root: JsonSchema, uri: string, parent?: Resource): Resource {
    const isSame = parent?.root === root;
    const resource = isSame
      ? { ...parent, uri }
      : { uri, root, anchors: new Map<string, JsonSchema>(), dynamicAnchors: new Map<string, JsonSchema>() };
    this.#byUri.set(uri, resource);
    return resource;
  }
}

function split(reference: string, base: string): readonly [string, string] {
  if (reference.startsWith('#')) return [base, decoded(reference.slice(1), reference)];
  const absolute = URL.parse(reference, base);
  if (absolute === null) throw new Error(`can't resolve reference ${reference}`);
  const fragment = decoded(absolute.hash.slice(1), reference);
  absolute.hash = '';
  return [absolute.href, fragment];
}

function decoded(fragment: string, reference: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    throw new Error(`can't resolve reference ${reference}`);
  }
}

function find(fragment: string, { root, anchors }: Resource): JsonSchema | boolean | undefined {
  if (fragment !== '' && !fragment.startsWith('/')) return anchors.get(fragment);
  let place: unknown = root;
  for (const step of fragment.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return undefined;
    place = (place as Record<string, unknown>)[key];
  }
  return typeof place === 'boolean' || isObject(place) ? place : undefined;
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
