import { textBlock } from './content.ts';
import { KernelError } from '../base/errors.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../base/json.ts';
import { isStandardSchema, jsonSchemaOf } from './standard-schema.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { Tool, ToolContext, ToolExecutionResult } from './tool.ts';

/** Arguments that a schema describes: the output type of a Standard Schema, any JSON object otherwise. */
export type ArgumentsOf<Schema> = Schema extends StandardSchema<unknown, infer Output> ? Output : JsonObject;

/** Return value of `execute` in a definition: a complete result, or a plain value that becomes one. */
export type ToolOutput = ToolExecutionResult | JsonValue | undefined;

/** Definition of a {@link Tool} with typed arguments and a simpler `execute`. */
export interface ToolDefinition<Schema extends JsonSchema | StandardSchema> extends Omit<
  Tool,
  'inputSchema' | 'outputSchema' | 'execute'
> {
  readonly inputSchema: Schema;
  readonly outputSchema?: JsonSchema | StandardSchema;
  execute(args: ArgumentsOf<Schema>, context: ToolContext): Promise<ToolOutput> | ToolOutput;
}

/**
 * Creates a tool from a JSON Schema or any Standard Schema (zod, valibot, arktype) and infers the type of `args`. A string
 * that `execute` returns becomes a text block, any other plain value becomes structured content.
 * @throws TypeError if `execute` is missing, or the Standard Schema library cannot convert its schema to JSON Schema
 */
export function defineTool<const Schema extends JsonSchema | StandardSchema>(definition: ToolDefinition<Schema>): Tool {
  const { inputSchema, outputSchema, execute, ...rest } = definition;
  if (typeof execute !== 'function') throw new TypeError(`The tool ${String(rest.name)} has no function execute`);
  const run = (args: unknown, context: ToolContext): Promise<ToolExecutionResult> =>
    Promise.resolve(execute.call(definition, args as ArgumentsOf<Schema>, context)).then(toResult);
  return {
    ...rest,
    inputSchema: isStandardSchema(inputSchema) ? jsonSchemaOf(inputSchema, 'input') : inputSchema,
    ...(outputSchema === undefined
      ? {}
      : { outputSchema: isStandardSchema(outputSchema) ? jsonSchemaOf(outputSchema, 'output') : outputSchema }),
    // Not async: the frame that V8 keeps for a waiting function is the largest part of a waiting call.
    execute(args, context) {
      try {
        if (!isStandardSchema(inputSchema)) return run(args, context);
        return parseArguments(inputSchema, args).then((parsed) => run(parsed, context));
      } catch (error) {
        return Promise.reject(error);
      }
    },
  };
}

async function parseArguments(schema: StandardSchema, args: JsonObject): Promise<unknown> {
  const result = await schema['~standard'].validate(args);
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map((issue) => issue.message).join('; ');
  throw new KernelError('E_ARGUMENTS_INVALID', `Invalid arguments: ${issues}`);
}

function toResult(output: ToolOutput): ToolExecutionResult {
  if (isExecutionResult(output)) return output;
  if (output === undefined) return { content: [], isError: false };
  if (typeof output === 'string') return { content: [textBlock(output)], isError: false };
  return { content: [], isError: false, structuredContent: output };
}

function isExecutionResult(output: ToolOutput): output is ToolExecutionResult {
  return typeof output === 'object' && output !== null && 'content' in output && 'isError' in output;
}
