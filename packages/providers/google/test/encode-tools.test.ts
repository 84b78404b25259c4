import assert from 'node:assert/strict';
import type { JsonObject } from '@ravi/kernel';
import { requestsOf, sharedTools } from '@ravi/provider-testing';
import { test } from 'vitest';
import { encodeGemini } from '../src/index.ts';
import { requestOracles } from './oracles.ts';
import { settingsFor } from './settings.ts';

const tools = sharedTools() ?? [];
const shared = tools.length === 0 ? test.skip : test;

function functionsIn(body: JsonObject): JsonObject[] {
  return ((body['tools'] ?? []) as readonly JsonObject[]).flatMap(
    ({ functionDeclarations }) => functionDeclarations as unknown as JsonObject[],
  );
}

const documented = new Set(
  (
    'type format title description enum items prefixItems minItems maxItems minimum maximum anyOf properties ' +
    'additionalProperties required propertyOrdering $ref $defs default pattern'
  ).split(' '),
);

/** Returns the parts of a schema that Gemini does not document. */
function undocumented(schema: unknown, at = ''): string[] {
  if (typeof schema !== 'object' || schema === null)
    return typeof schema === 'boolean' ? [] : [`${at} is not a schema`];
  const found = Object.keys(schema)
    .filter((key) => !documented.has(key))
    .map((key) => `${at}/${key}`);
  const node = schema as Record<string, unknown>;
  if ('$ref' in node && Object.keys(node).some((key) => !key.startsWith('$'))) found.push(`${at} next to $ref`);
  if ('type' in node && typeof node['type'] !== 'string') found.push(`${at}/type`);
  const required = (node['required'] ?? []) as readonly string[];
  if (required.some((name) => !Object.hasOwn(node['properties'] ?? {}, name))) found.push(`${at}/required`);
  for (const key of ['properties', '$defs']) {
    for (const [name, inner] of Object.entries(node[key] ?? {})) found.push(...undocumented(inner, `${at}/${name}`));
  }
  for (const key of ['anyOf', 'prefixItems']) {
    for (const inner of (node[key] ?? []) as readonly unknown[]) found.push(...undocumented(inner, `${at}/${key}`));
  }
  for (const key of ['items', 'additionalProperties'])
    if (key in node) found.push(...undocumented(node[key], `${at}/${key}`));
  return found;
}

test('the oracle from types rejects an unknown field', () => {
  const judges = new Map(requestOracles);
  const body = { contents: [], tools: [{ functionDeclarations: [{ name: 'a', strict: true }] }] };
  assert.match(judges.get('npm types')?.(body) ?? '', /strict/u);
});

for (const schemas of ['json', 'openapi'] as const) {
  shared(`every shared tool schema makes a valid request, as ${schemas} (needs the shared tool schemas)`, () => {
    const settings = settingsFor('gemini-2.5-flash', { schemas });
    const invalid: string[] = [];
    let [count, dropped, degraded] = [0, 0, 0];
    for (const request of requestsOf(tools)) {
      const { body, warnings } = encodeGemini(request, settings);
      count++;
      dropped += warnings.filter(({ code }) => code === 'tool-dropped').length;
      degraded += warnings.filter(({ code }) => code === 'tool-degraded').length;
      for (const [oracle, judge] of requestOracles) {
        const problem = judge?.(body);
        if (problem !== undefined) invalid.push(`${oracle}: ${request.tools[0]?.name}: ${problem}`);
      }
    }
    console.log(`${schemas}: ${count} requests, ${invalid.length} invalid, ${dropped} dropped, ${degraded} degraded`);
    assert.deepEqual(invalid.slice(0, 5), []);
    assert.ok(count > 3000);
  });
}

shared('every shared tool schema goes out in the words that Gemini documents (needs the shared tool schemas)', () => {
  const settings = settingsFor('gemini-2.5-flash');
  const found = tools.flatMap((tool) =>
    functionsIn(encodeGemini({ messages: [], tools: [tool] }, settings).body).flatMap(({ parametersJsonSchema }) =>
      undocumented(parametersJsonSchema).map((place) => `${tool.name}: ${place}`),
    ),
  );
  assert.deepEqual(found.slice(0, 10), []);
});

shared('names on the wire fit, are unique within a request, and find back (needs the shared tool schemas)', () => {
  for (let at = 0; at < tools.length; at += 100) {
    const offered = tools.slice(at, at + 100);
    const { body, context } = encodeGemini({ messages: [], tools: offered }, settingsFor('gemini-2.5-flash'));
    const names = functionsIn(body).map(({ name }) => name as string);
    assert.equal(new Set(names).size, names.length);
    const known = new Set(offered.map(({ name }) => name));
    for (const name of names) {
      assert.match(name, /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/u);
      assert.ok(known.has(context.nameOf(name)), name);
    }
  }
});
