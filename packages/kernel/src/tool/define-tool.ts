import { textBlock } from './content.ts';
import { KernelError } from '../base/errors.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../base/json.ts';
import type { ArgumentsOf } from './arguments-of.ts';
import { isStandardSchema, jsonSchemaOf } from './standard-schema.ts';
import type { StandardResult, StandardSchema } from './standard-schema.ts';
import type {
  CheckContext,
  ReconcileAnswer,
  ReconcileContext,
  RiskAssessment,
  Tool,
  ToolConcurrency,
  ToolContext,
  ToolExecutionResult,
} from './tool.ts';

/** Return value of `execute` in a definition: a complete result, or a plain value that becomes one. */
export type ToolOutput = ToolExecutionResult | JsonValue | undefined;

/** Definition of a {@link Tool} with typed arguments and a simpler `execute`. */
export interface ToolDefinition<Schema extends JsonSchema | StandardSchema> extends Omit<
  Tool,
  'inputSchema' | 'outputSchema' | 'classifyRisk' | 'concurrency' | 'checkCall' | 'reconcile' | 'execute'
> {
  readonly inputSchema: Schema;
  readonly outputSchema?: JsonSchema | StandardSchema;
  /** As in {@link Tool}, with the arguments that `execute` gets. */
  classifyRisk?(args: ArgumentsOf<Schema>): RiskAssessment;
  /** As in {@link Tool}; `keys` gets the arguments that `execute` gets. */
  readonly concurrency?:
    | Exclude<ToolConcurrency, object>
    | { readonly keys: (args: ArgumentsOf<Schema>) => readonly string[] };
  /** As in {@link Tool}, with the arguments that `execute` gets. */
  checkCall?(args: ArgumentsOf<Schema>, context: CheckContext): Promise<void> | void;
  /** As in {@link Tool}, with the arguments that `execute` gets and a result like its own. */
  reconcile?(
    args: ArgumentsOf<Schema>,
    idempotencyKey: string,
    context: ReconcileContext,
  ): Promise<ReconcileAnswer<ToolOutput>> | ReconcileAnswer<ToolOutput>;
  execute(args: ArgumentsOf<Schema>, context: ToolContext): Promise<ToolOutput> | ToolOutput;
}

/**
 * Creates a tool from a JSON Schema or any Standard Schema (zod, valibot, arktype) and infers the type of `args`. A string
 * that `execute` returns becomes a text block, any other plain value becomes structured content. With a Standard Schema,
 * `execute`, `checkCall`, `classifyRisk` and `concurrency.keys` get the parsed arguments; the last two need a schema that validates
 * synchronously.
 * @throws TypeError if `execute` is missing, or the Standard Schema library cannot convert its schema to JSON Schema
 */
export function defineTool<const Schema extends JsonSchema | StandardSchema>(definition: ToolDefinition<Schema>): Tool {
  const { inputSchema, outputSchema, checkCall, reconcile, execute, ...rest } = definition;
  if (typeof execute !== 'function') throw new TypeError(`The tool ${String(rest.name)} has no function execute`);
  const run = (args: unknown, context: ToolContext): Promise<ToolExecutionResult> =>
    Promise.resolve(execute.call(definition, args as ArgumentsOf<Schema>, context)).then(toResult);
  return {
    ...(rest as Pick<Tool, 'name' | 'description'>),
    ...(isStandardSchema(inputSchema) ? onParsedArguments(definition, inputSchema) : {}),
    inputSchema: isStandardSchema(inputSchema) ? jsonSchemaOf(inputSchema, 'input') : inputSchema,
    ...(outputSchema === undefined
      ? {}
      : { outputSchema: isStandardSchema(outputSchema) ? jsonSchemaOf(outputSchema, 'output') : outputSchema }),
    ...(typeof checkCall === 'function' ? { checkCall: checkCallOf(definition, checkCall) } : {}),
    ...(typeof reconcile === 'function' ? { reconcile: reconcileOf(definition, reconcile) } : {}),
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

// The functions of a definition that must get parsed arguments too. A value of another type stays as it is: the invoker says
// what is wrong with it.
function onParsedArguments<Schema extends JsonSchema | StandardSchema>(
  definition: ToolDefinition<Schema>,
  schema: StandardSchema,
): Pick<Tool, 'classifyRisk' | 'concurrency'> {
  const { name, classifyRisk, concurrency } = definition;
  const parsed = (args: JsonObject): ArgumentsOf<Schema> => parseAtOnce(schema, args, name) as ArgumentsOf<Schema>;
  const keys = typeof concurrency === 'object' ? concurrency?.keys : undefined;
  return {
    ...(typeof classifyRisk === 'function'
      ? { classifyRisk: (args) => classifyRisk.call(definition, parsed(args)) }
      : {}),
    ...(typeof keys === 'function' ? { concurrency: { keys: (args) => keys(parsed(args)) } } : {}),
  };
}

function checkCallOf<Schema extends JsonSchema | StandardSchema>(
  definition: ToolDefinition<Schema>,
  checkCall: NonNullable<ToolDefinition<Schema>['checkCall']>,
): NonNullable<Tool['checkCall']> {
  const { inputSchema } = definition;
  return async (args, context) => {
    const parsed = isStandardSchema(inputSchema) ? await parseArguments(inputSchema, args) : args;
    await checkCall.call(definition, parsed as ArgumentsOf<Schema>, context);
  };
}

function reconcileOf<Schema extends JsonSchema | StandardSchema>(
  definition: ToolDefinition<Schema>,
  reconcile: NonNullable<ToolDefinition<Schema>['reconcile']>,
): NonNullable<Tool['reconcile']> {
  const { inputSchema } = definition;
  return async (args, idempotencyKey, context) => {
    const parsed = isStandardSchema(inputSchema) ? await parseArguments(inputSchema, args) : args;
    const answer = await reconcile.call(definition, parsed as ArgumentsOf<Schema>, idempotencyKey, context);
    if (typeof answer !== 'object' || !answer.happened) return answer;
    return 'result' in answer ? { happened: true, result: toResult(answer.result) } : { happened: true };
  };
}

async function parseArguments(schema: StandardSchema, args: JsonObject): Promise<unknown> {
  return valueOf(await schema['~standard'].validate(args));
}

function parseAtOnce(schema: StandardSchema, args: JsonObject, tool: string): unknown {
  const result = schema['~standard'].validate(args);
  if (!('then' in result)) return valueOf(result);
  throw new TypeError(`The schema of ${tool} validates asynchronously; classifyRisk and concurrency.keys cannot wait`);
}

function valueOf(result: StandardResult<unknown>): unknown {
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
