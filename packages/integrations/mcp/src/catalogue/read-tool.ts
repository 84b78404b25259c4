import type { JsonObject, JsonSchema } from '@ravi/kernel';
import { jsonValueExcess } from '@ravi/source-kit';
import type { McpLimits } from '../options.ts';
import { shown } from '../connection/describe-failure.ts';
import { asksForHeaders, headerProblem } from './header-problem.ts';
import type { ListedTool, ListFailure } from './listed-tool.ts';

const maxNameCharacters = 256;
/** The invoker compiles no larger schema. */
const schemaLimits = { maxBytes: 262_144, maxDepth: 64, maxNodes: 16_000 };

/** Checks a tool of a list. Everything that the server wrote may be of any type. */
export function readTool(entry: JsonObject, limits: McpLimits): ListedTool | ListFailure {
  const { name, title, description, inputSchema, outputSchema, annotations, execution } = entry;
  if (typeof name !== 'string' || name === '' || name.length > maxNameCharacters) {
    return { from: shown(JSON.stringify(name)), message: `has no name of 1 to ${maxNameCharacters} characters` };
  }
  const from = shown(name);
  const problem =
    schemaProblem('inputSchema', inputSchema) ??
    (outputSchema === undefined ? undefined : schemaProblem('outputSchema', outputSchema)) ??
    headerProblem(inputSchema as JsonObject);
  if (problem !== undefined) return { from, message: problem };
  const hints = objectOf(annotations);
  const support = objectOf(execution)['taskSupport'];
  return {
    name,
    ...(typeof title === 'string' ? { title: cut(title, 200) } : {}),
    description: cut(typeof description === 'string' ? description : '', limits.descriptionCharacters),
    inputSchema: inputSchema as JsonSchema,
    ...(outputSchema === undefined ? {} : { outputSchema: outputSchema as JsonSchema }),
    mirrorsHeaders: asksForHeaders(inputSchema as JsonObject),
    hints: {
      ...flag('isReadOnly', hints['readOnlyHint']),
      ...flag('isDestructive', hints['destructiveHint']),
      ...flag('isIdempotent', hints['idempotentHint']),
    },
    taskSupport: support === 'optional' || support === 'required' ? support : 'forbidden',
  };
}

function schemaProblem(field: string, schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return `has no ${field} that is an object`;
  if (field === 'inputSchema' && (schema as JsonObject)['type'] !== 'object')
    return 'has an inputSchema whose type is not "object"';
  const excess = jsonValueExcess(schema, schemaLimits);
  return excess === undefined ? undefined : `has an ${field} that ${excess}`;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function flag<Key extends string>(key: Key, value: unknown): Partial<Record<Key, boolean>> {
  return typeof value === 'boolean' ? ({ [key]: value } as Record<Key, boolean>) : {};
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}…`;
}
