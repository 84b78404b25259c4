import { invocationResultSchema } from './calls.ts';
import { empty, json, operation } from './operation.ts';
import { page } from './page.ts';
import { array, boolean, described, enumOf, extend, literal, number, object, strictObject, string } from './schema.ts';
import type { ValueOf } from './schema.ts';
import { count, jsonObject, jsonSchema, requestId, risk } from './values.ts';

/** A tool in a list. */
export const toolSchema = object(
  {
    name: string(),
    description: string(),
    kind: enumOf(['local', 'hosted', 'provider-defined']),
    source: string({ description: 'Package, file or server that the tool comes from.' }),
  },
  {
    risk,
    isRiskFixed: boolean({ description: 'False if the arguments of a call can make its risk higher than `risk`.' }),
    inputSchema: jsonSchema,
    outputSchema: jsonSchema,
    mode: literal('background', { description: 'Agents do not wait for its calls.' }),
    allowedCallers: array(enumOf(['direct', 'chain']), {
      description: 'Callers that the tool allows: `direct` calls, and scripts (`chain`). Absent means both.',
    }),
  },
);

/** A tool in a list. */
export type ToolSummary = ValueOf<typeof toolSchema>;

/** Figures of the calls of a tool in this process. */
const toolMetricsSchema = object({
  calls: count,
  errors: count,
  denials: count,
  p50: number({ description: 'Milliseconds; 0 before the first call.' }),
  p95: number({ description: 'Milliseconds; 0 before the first call.' }),
});

/** Figures of the calls of a tool in this process. */
export type ToolMetrics = ValueOf<typeof toolMetricsSchema>;

/** A tool with its declaration and figures. */
export const toolDetailsSchema = extend(
  toolSchema,
  { metrics: toolMetricsSchema },
  { stub: string({ description: 'The type declaration that a model reads.' }) },
);

/** A tool with its declaration and figures. */
export type ToolDetails = ValueOf<typeof toolDetailsSchema>;

/** Operations on tools. */
export const tools = {
  list: operation({
    method: 'get',
    path: '/v1/tools',
    summary: 'List the tools.',
    query: strictObject(
      {},
      {
        q: string({ maxLength: 200, description: 'Words that the name or description contains.' }),
        risk: described(risk, 'Only tools of this risk. Tools that a provider runs have none.'),
      },
    ),
    responses: { 200: json(page(toolSchema)), 304: empty },
    errors: [],
  }),
  get: operation({
    method: 'get',
    path: '/v1/tools/{name}',
    summary: 'Get a tool with its type declaration and its figures.',
    responses: { 200: json(toolDetailsSchema) },
    errors: ['E_TOOL_UNKNOWN'],
  }),
  call: operation({
    method: 'post',
    path: '/v1/tools/{name}',
    keyed: 'recorded-call',
    summary: 'Call a tool through the invoker and all its gates.',
    role: 'run',
    body: strictObject(
      {},
      {
        args: described(jsonObject, 'Default: no arguments.'),
        sessionId: described(
          requestId,
          'Calls and runs of one session can use the artifacts of each other. Default: a new one.',
        ),
      },
    ),
    responses: { 200: json(extend(invocationResultSchema, { sessionId: string() })) },
    errors: ['E_ARTIFACT_QUOTA', 'E_STATE_UNAVAILABLE'],
  }),
} as const;
