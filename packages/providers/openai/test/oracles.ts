import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { JsonObject, JsonValue } from '@ravi/kernel';
import { specOracle, typesOracle } from '@ravi/provider-testing';
import type { NamedOracle } from '@ravi/provider-testing';

/** A test that makes schemas out of the types of a package compiles them first. */
export const oracleTest = { timeout: 120_000 } as const;

/** Judges of requests to Responses, and to Chat Completions: what is published, and what the official package types. */
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
