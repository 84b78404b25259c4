import type { JsonObject, JsonValue } from '@ravi/kernel';

const keyword = 'x-mcp-header';
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: readonly unknown[] = ['string', 'integer', 'boolean'];

/**
 * Returns why a schema asks for headers in a way that version 2026-07-28 of the protocol forbids, `undefined` if it does not. Such a
 * tool has to be left out, because a gateway and the server would read different arguments.
 */
export function headerProblem(schema: JsonObject): string | undefined {
  const names = new Set<string>();
  let problem: string | undefined;

  // Only properties of properties always reach the arguments; everywhere else the keyword is forbidden.
  function visit(value: JsonValue | undefined, isProperty: boolean, isReachable: boolean): void {
    if (problem !== undefined || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) return value.forEach((child: JsonValue) => visit(child, false, false));
    const node = value as JsonObject;
    if (Object.hasOwn(node, keyword)) check(node, isProperty && isReachable);
    for (const [key, child] of Object.entries(node)) {
      if (key === 'properties' && typeof child === 'object' && child !== null && !Array.isArray(child)) {
        for (const property of Object.values(child as JsonObject)) visit(property, true, isReachable);
      } else if (!constants.has(key)) visit(child, false, false);
    }
  }

  function check(node: JsonObject, isAllowed: boolean): void {
    const name = node[keyword];
    if (!isAllowed) problem = `has ${keyword} at a place where it is not allowed`;
    else if (typeof name !== 'string' || !token.test(name))
      problem = `has an ${keyword} that is not a name of a header`;
    else if (!types.includes(node['type']))
      problem = `has ${keyword} at a value that is not a text, integer or boolean`;
    else if (names.has(name.toLowerCase())) problem = `uses the ${keyword} ${name} twice`;
    else names.add(name.toLowerCase());
  }

  visit(schema, false, true);
  return problem;
}

/** Returns true if a schema without a {@link headerProblem} asks for headers. */
export function asksForHeaders(schema: JsonObject): boolean {
  return Object.values((schema['properties'] ?? {}) as JsonObject).some(
    (property) =>
      typeof property === 'object' &&
      property !== null &&
      (Object.hasOwn(property, keyword) || asksForHeaders(property as JsonObject)),
  );
}

/** Keywords whose values are data, not schemas. */
const constants = new Set(['const', 'enum', 'default', 'examples', keyword]);
