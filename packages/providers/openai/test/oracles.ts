import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { JsonObject, JsonValue } from '@ravi/kernel';
import { sharedDataFile } from '@ravi/testkit';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createGenerator } from 'ts-json-schema-generator';

/** Says what is wrong with a request, in a few words; `undefined` when nothing is. */
export type Oracle = (body: unknown) => string | undefined;

/** Absent where its data is. */
export type NamedOracle = readonly [name: string, judge: Oracle | undefined];

/** The published request schema of a provider; `undefined` where the shared data is not there. */
export function specOracle(spec: 'openai' | 'mistral' | 'openrouter', root: string): Oracle | undefined {
  const file = sharedDataFile(`fixtures/specs/${spec}.schema.json`);
  if (file === undefined) return undefined;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')) as object);
  return oracleOf(ajv.compile({ $ref: `urn:oracle:${spec}#/$defs/${root}` }));
}

/** A test that makes schemas out of the types of a package compiles them first. */
export const oracleTest = { timeout: 120_000 } as const;

/** Judges of requests to Responses, and to Chat Completions: what is published, and what the official package types. */
export function requestOracles(): Readonly<Record<'responses' | 'chat', readonly NamedOracle[]>> {
  const typed = sdkOracles();
  return {
    responses: [
      ['specification', specOracle('openai', 'CreateResponse')],
      ['npm types', typed('ResponseCreateParamsStreaming')],
    ],
    chat: [
      ['specification', specOracle('openai', 'CreateChatCompletionRequest')],
      ['npm types', typed('ChatCompletionCreateParamsStreaming')],
    ],
  };
}

/** Fields of other servers in messages that OpenAI's own schemas do not know. */
const extensions = new Set(['reasoning_content', 'reasoning_details', 'reasoning', 'extra_content']);

/** The body without what another server than OpenAI gave and wants back. */
export function withoutExtensions(body: JsonObject): JsonObject {
  const messages = body['messages'] as readonly JsonObject[] | undefined;
  if (messages === undefined) return body;
  return { ...body, messages: messages.map((message) => stripped(message) as JsonObject) };
}

function stripped(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((entry: JsonValue) => stripped(entry));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value as JsonObject).filter(([key]) => !extensions.has(key));
  return Object.fromEntries(kept.map(([key, entry]) => [key, stripped(entry)]));
}

/** Types of the official npm package as schemas, made when they are asked for. */
function sdkOracles(): (type: string) => Oracle {
  const require = createRequire(import.meta.url);
  const generator = createGenerator({
    path: join(dirname(require.resolve('openai')), 'resources/{responses/responses,chat/completions/completions}.d.ts'),
    type: '*',
    skipTypeCheck: true,
    expose: 'all',
    additionalProperties: false,
  });
  return (type) => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    return oracleOf(ajv.compile(generator.createSchema(type) as object));
  };
}

function oracleOf(validate: ValidateFunction): Oracle {
  return (body) => {
    if (validate(body)) return undefined;
    const deepest = (validate.errors ?? []).toSorted((a, b) => b.instancePath.length - a.instancePath.length);
    return deepest
      .slice(0, 3)
      .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
      .join('; ');
  };
}
