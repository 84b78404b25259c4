import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { metaSchemaOracle, requestsOf, sharedTools } from '@ravi/provider-testing';
import { test } from 'vitest';
import { encodeMessages } from '../src/index.ts';
import type { MessagesRequest } from '../src/index.ts';
import { requestOracles } from './oracles.ts';
import { settingsFor } from './settings.ts';

const tools = sharedTools() ?? [];
const shared = tools.length === 0 ? test.skip : test;

interface WireTool {
  readonly name: string;
  readonly strict?: boolean;
  readonly input_schema: { readonly type?: unknown };
}

function toolsOf({ body }: MessagesRequest): readonly WireTool[] {
  return (body['tools'] ?? []) as unknown as readonly WireTool[];
}

function descriptionsIn(schema: unknown): readonly string[] {
  const found: string[] = [];
  JSON.stringify(schema, (key, value: unknown) => {
    if (key === 'description' && typeof value === 'string') found.push(value);
    return value;
  });
  return found.toSorted((one, other) => one.localeCompare(other));
}

const oracles = tools.length === 0 ? [] : requestOracles().plain;

for (const strict of ['auto', 'always'] as const) {
  shared(
    `every shared tool schema makes a valid request, strict mode ${strict} (needs the shared tool schemas)`,
    () => {
      for (const apiVersion of ['2023-06-01', '2026-10-21'] as const) {
        const settings = settingsFor('claude-sonnet-4-6', { strict, apiVersion });
        const invalid: string[] = [];
        const count = { requests: 0, strict: 0, dropped: 0 };
        // The versions do not differ in tools.
        const isFirst = apiVersion === '2023-06-01';
        for (const request of requestsOf(tools).filter(({ tools: offered }) => isFirst || offered.length > 1)) {
          const encoded = encodeMessages(request, settings);
          count.requests++;
          count.strict += toolsOf(encoded).filter((tool) => tool.strict === true).length;
          count.dropped += encoded.warnings.filter(({ code }) => code === 'tool-dropped').length;
          for (const [name, judge] of oracles) {
            const problem = judge?.(encoded.body);
            if (problem !== undefined) invalid.push(`${name}: ${request.tools[0]?.name}: ${problem}`);
          }
          for (const tool of toolsOf(encoded)) assert.equal(tool.input_schema.type, 'object');
        }
        console.log(
          `${apiVersion}, ${strict}: ${count.requests} requests, ${invalid.length} invalid, ${count.strict} strict tools, ${count.dropped} dropped`,
        );
        assert.deepEqual(invalid.slice(0, 5), []);
      }
    },
  );
}

shared('every shared tool schema is one of 2020-12 on the wire (needs the shared tool schemas)', () => {
  const judge = metaSchemaOracle();
  const settings = settingsFor('claude-sonnet-4-6');
  const invalid: string[] = [];
  let count = 0;
  for (const request of requestsOf(tools).filter(({ tools: offered }) => offered.length > 1)) {
    for (const { name, input_schema: schema } of toolsOf(encodeMessages(request, settings))) {
      count++;
      const problem = judge(schema);
      if (problem !== undefined) invalid.push(`${name}: ${problem}`);
    }
  }
  console.log(`${count} schemas, ${invalid.length} invalid`);
  assert.deepEqual(invalid.slice(0, 5), []);
});

shared('what goes out as strict is what the official library makes of it (needs the shared tool schemas)', () => {
  const settings = settingsFor('claude-sonnet-4-6', { strict: 'always' });
  const different: string[] = [];
  let count = 0;
  for (const tool of tools) {
    const [request] = requestsOf([tool]);
    const [wire] = request === undefined ? [] : toolsOf(encodeMessages(request, settings));
    if (wire?.strict !== true) continue;
    count++;
    // It writes into descriptions what it cannot enforce.
    const theirs = transformJSONSchema(wire.input_schema);
    if (!isDeepStrictEqual(descriptionsIn(theirs), descriptionsIn(wire.input_schema))) different.push(tool.name);
  }
  console.log(`${count} of ${tools.length} tools strict`);
  assert.deepEqual(different, []);
  assert.ok(count > tools.length / 4);
});

shared('a request never holds more strict schemas than are accepted together (needs the shared tool schemas)', () => {
  const settings = settingsFor('claude-sonnet-4-6', { strict: 'always' });
  for (const request of requestsOf(tools).filter(({ tools: offered }) => offered.length > 1)) {
    const strict = toolsOf(encodeMessages(request, settings)).filter((tool) => tool.strict === true);
    assert.ok(strict.length > 0 && strict.length <= 20, `${strict.length}`);
  }
});

shared('names on the wire fit, are unique within a request, and find back (needs the shared tool schemas)', () => {
  for (const request of requestsOf(tools).filter(({ tools: offered }) => offered.length > 1)) {
    const encoded = encodeMessages(request, settingsFor());
    const names = toolsOf(encoded).map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    const known = new Set(request.tools.map(({ name }) => name));
    for (const name of names) {
      assert.match(name, /^[a-zA-Z0-9_-]{1,128}$/u);
      assert.ok(known.has(encoded.context.nameOf(name)), name);
    }
  }
});
