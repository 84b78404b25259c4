import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { JsonObject, JsonValue } from '@ravi/kernel';
import { specOracle, typesOracle } from '@ravi/provider-testing';
import type { NamedOracle } from '@ravi/provider-testing';

/** Registers a test that first compiles schemas from the types of a package. */
export const oracleTest = { timeout: 120_000 } as const;

/**
 * Oracles of requests to Responses and Chat Completions: the published schema and the types of the official package.
 */
export function requestOracles(): Readonly<Record<'responses' | 'chat', readonly NamedOracle[]>> {
  const types = join(dirname(createRequire(import.meta.url).resolve('openai')), 'resources');
  return {
    responses: [
      ['specification', specOracle('openai', 'CreateResponse')],
      ['npm types', typesOracle(join(types, 'responses/responses.d.ts'), 'ResponseCreateParamsStreaming')],
    ],
    chat: [
      ['specification', specOracle('openai', 'CreateChatCompletionRequest')],
      [
        'npm types',
        typesOracle(join(types, 'chat/completions/completions.d.ts'), 'ChatCompletionCreateParamsStreaming'),
      ],
    ],
  };
}

/** Message fields of other servers that OpenAI's own schemas do not have. */
const extensions = new Set(['reasoning_content', 'reasoning_details', 'reasoning', 'extra_content']);

/** Returns the body without the fields that only other servers require. */
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
