import { textBlock } from './content.ts';
import { KernelError } from '../base/errors.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../base/json.ts';
import { isStandardSchema, jsonSchemaOf } from './standard-schema.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { Tool, ToolContext, ToolExecutionResult } from './tool.ts';

/** The arguments that a schema describes: the output type of a Standard Schema, any JSON object otherwise. */
export type ArgumentsOf<Schema> = Schema extends StandardSchema<unknown, infer Output> ? Output : JsonObject;

/** What `execute` of a defined tool may return: a full result, or a plain value that becomes one. */
export type ToolOutput = ToolExecutionResult | JsonValue | undefined;

/** {@link Tool} with typed arguments and an easier `execute`. */
export interface ToolDefinition<Schema extends JsonSchema | StandardSchema> extends Omit<
  Tool,
  'inputSchema' | 'outputSchema' | 'execute'
> {
  readonly inputSchema: Schema;
  readonly outputSchema?: JsonSchema | StandardSchema;
  execute(args: ArgumentsOf<Schema>, context: ToolContext): Promise<ToolOutput> | ToolOutput;
}

/**
 * Makes a tool from a JSON Schema or any Standard Schema (zod, valibot, arktype), with the types of `args` inferred.
 * A string that `execute` returns becomes a text block, any other plain value becomes structured content.
 * @throws TypeError when `execute` is missing, or a Standard Schema library cannot give its JSON Schema
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
    // Not async: what V8 keeps of a waiting function is the largest part of a call that waits.
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
