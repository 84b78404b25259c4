import assert from 'node:assert/strict';
import type { FunctionSpec, ModelRequest } from '@ravi/kernel';
import { resolveRef } from '@ravi/provider-kit';
import type { SchemaObject, WireRequest } from '@ravi/provider-kit';
import { requestsOf, sharedTools, specOracle } from '@ravi/provider-testing';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { test } from 'vitest';
import { encodeChat, encodeResponses } from '../src/index.ts';
import { oracleTest, requestOracles } from './oracles.ts';
import { settingsFor } from './settings.ts';

const found = sharedTools();
const tools = found ?? [];
/** All tools in requests of a hundred: single-tool requests would not find more problems. */
const requests = requestsOf(tools).filter(({ tools: offered }) => offered.length > 1);
const shared = found === undefined ? test.skip : test;

interface WireTool {
  readonly name?: string;
  readonly strict?: boolean;
  readonly parameters?: object;
  readonly function?: WireTool;
}

function ask(offered: readonly FunctionSpec[]): ModelRequest {
  return {
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    tools: offered,
    toolChoice: 'auto',
  };
}

function functionsOf({ body }: WireRequest): WireTool[] {
  return ((body['tools'] ?? []) as unknown as WireTool[]).map((tool) => tool.function ?? tool);
}

shared(
  'every shared tool schema makes a valid request, with and without strict mode (needs the shared tool schemas)',
  oracleTest,
  () => {
    const oracles = requestOracles();
    for (const mode of ['auto', 'always', 'never'] as const) {
      const cases = [
        ['responses', encodeResponses, 'openai', oracles.responses],
        ['chat', encodeChat, 'openai', oracles.chat],
        ['mistral', encodeChat, 'mistral', [['specification', specOracle('mistral', 'ChatCompletionRequest')]]],
        ['openrouter', encodeChat, 'openrouter', [['specification', specOracle('openrouter', 'ChatRequest')]]],
      ] as const;
      for (const [name, encode, dialect, judges] of cases) {
        const settings = settingsFor(dialect, mode);
        const invalid: string[] = [];
        let count = 0;
        let strict = 0;
        let dropped = 0;
        for (const request of requests) {
          const encoded = encode(request, settings);
          count++;
          strict += functionsOf(encoded).filter((tool) => tool.strict === true).length;
          dropped += encoded.warnings.filter(({ code }) => code === 'tool-dropped').length;
          for (const [oracle, judge] of judges) {
            const problem = judge?.(encoded.body);
            if (problem !== undefined) invalid.push(`${oracle}: ${request.tools[0]?.name}: ${problem}`);
          }
        }
        console.log(
          `${name}, ${mode}: ${count} requests, ${invalid.length} invalid, ${strict} strict tools, ${dropped} dropped`,
        );
        assert.deepEqual(invalid.slice(0, 5), []);
      }
    }
  },
);

shared('what goes out as strict is strict to the official library too (needs the shared tool schemas)', () => {
  const refused: string[] = [];
  let count = 0;
  for (const tool of tools) {
    const [wire] = functionsOf(encodeResponses(ask([tool]), settingsFor('openai', 'always')));
    if (wire?.strict !== true) continue;
    count++;
    try {
      toStrictJsonSchema(structuredClone(wire.parameters) as never);
    } catch (error) {
      refused.push(`${tool.name}: ${(error as Error).message}`);
    }
  }
  console.log(`${count} of ${tools.length} tools strict, ${refused.length} refused by the official library`);
  assert.deepEqual(refused.slice(0, 5), []);
  assert.ok(count > tools.length / 2);
});

shared('names on the wire fit, are unique within a server, and find back (needs the shared tool schemas)', () => {
  for (const request of requests) {
    const offered = request.tools;
    const encoded = encodeChat(request, settingsFor('openai'));
    const names = functionsOf(encoded).map(({ name = '' }) => name);
    assert.equal(new Set(names).size, names.length);
    const known = new Set(offered.map(({ name }) => name));
    for (const name of names) {
      assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/u);
      assert.ok(known.has(encoded.context.nameOf(name)), name);
    }
  }
});

shared('no strict schema of a shared tool has a reference without a target (needs the shared tool schemas)', () => {
  for (const dialect of ['openai', 'deepseek', 'mistral'] as const) {
    for (const request of requests) {
      for (const { name, strict, parameters } of functionsOf(encodeChat(request, settingsFor(dialect, 'always')))) {
        if (strict !== true || parameters === undefined) continue;
        for (const [, ref = ''] of JSON.stringify(parameters).matchAll(/"\$ref":"(#[^"]*)"/gu)) {
          assert.notEqual(resolveRef(parameters as SchemaObject, ref), undefined, `${dialect}: ${name} has ${ref}`);
        }
      }
    }
  }
});
