import type { Snippet } from '@ravi/kernel';
import { chainResultSchema, scriptFields, streamQuery } from './chains.ts';
import { empty, json, operation } from './operation.ts';
import { page } from './page.ts';
import { recordedEventSchema } from './run-events.ts';
import { snippetToolSchema } from './runs.ts';
import { described, array, boolean, extend, integer, object, sameAs, strictObject, string } from './schema.ts';
import type { ValueOf } from './schema.ts';
import { count, jsonObject, jsonSchema, language, requestId, timestamp } from './values.ts';

/** A snippet in a list. */
export const snippetSummarySchema = object(
  { name: string(), version: count },
  {
    description: string(),
    language,
    createdAt: timestamp,
    tools: array(string(), { description: 'Names of the only tools that it may call.' }),
    isDamaged: boolean({ description: 'True if it cannot be read; only name and version are present then.' }),
  },
);

/** A snippet in a list. */
export type SnippetSummary = ValueOf<typeof snippetSummarySchema>;

const snippetSchema = sameAs<Snippet>()(
  object(
    {
      name: string(),
      version: count,
      principal: string(),
      description: string(),
      code: string(),
      language,
      tools: array(snippetToolSchema),
      createdAt: timestamp,
      sourceRunId: string(),
    },
    { inputSchema: jsonSchema },
  ),
);

/** A snippet with its code and versions. */
export const snippetDetailsSchema = extend(snippetSchema, { versions: array(count) });

/** A snippet with its code and versions. */
export type SnippetDetails = ValueOf<typeof snippetDetailsSchema>;

const path = '/v1/snippets/{name}';
const input = described(jsonObject, 'The value of "input" in the script.');
const version = integer({ minimum: 1, description: 'Default: the newest.' });
const { code, language: written, policy } = scriptFields;

/** Operations on saved scripts. */
export const snippets = {
  list: operation({
    method: 'get',
    path: '/v1/snippets',
    summary: "List the caller's snippets.",
    responses: { 200: json(page(snippetSummarySchema)) },
    errors: ['E_SNIPPET_UNAVAILABLE'],
  }),
  get: operation({
    method: 'get',
    path,
    summary: 'Get a snippet with its code and its versions.',
    query: strictObject({}, { version }),
    responses: { 200: json(snippetDetailsSchema) },
    errors: ['E_SNIPPET_UNKNOWN', 'E_SNIPPET_UNAVAILABLE'],
  }),
  save: operation({
    method: 'put',
    path,
    summary: 'Save a script that succeeded as the next version, from its run or by running it now.',
    role: 'run',
    body: strictObject(
      { description: string({ minLength: 1, maxLength: 10_000, description: 'What the snippet does.' }) },
      {
        runId: described(requestId, 'A run of a script that succeeded.'),
        inputSchema: described(jsonSchema, 'JSON Schema of the input.'),
        code,
        language: written,
        policy,
        input,
      },
    ),
    responses: { 201: json(snippetSchema) },
    errors: ['E_SNIPPET_INVALID', 'E_TOOL_NAME_CONFLICT', 'E_RUN_NOT_FOUND', 'E_SNIPPET_UNAVAILABLE'],
  }),
  delete: operation({
    method: 'delete',
    path,
    summary: 'Delete a snippet with all its versions.',
    role: 'run',
    endsWork: true,
    responses: { 204: empty },
    errors: ['E_SNIPPET_UNKNOWN', 'E_SNIPPET_UNAVAILABLE'],
  }),
  run: operation({
    method: 'post',
    path: `${path}/run`,
    keyed: 'run',
    summary: 'Run a snippet and wait for its result, or follow its events.',
    role: 'run',
    query: strictObject({}, { ...streamQuery, version }),
    body: strictObject({}, { input, policy }),
    responses: { 200: json(chainResultSchema) },
    events: recordedEventSchema,
    endEvent: 'run-end',
    errors: [
      'E_SNIPPET_INVALID',
      'E_SNIPPET_UNKNOWN',
      'E_SNIPPET_OUTDATED',
      'E_ARGUMENTS_INVALID',
      'E_UNSUPPORTED',
      'E_SNIPPET_UNAVAILABLE',
    ],
  }),
} as const;
