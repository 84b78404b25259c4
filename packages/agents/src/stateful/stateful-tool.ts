import { defineTool } from '@ravi/kernel';
import type {
  ArgumentsOf,
  JsonObject,
  JsonSchema,
  JsonValue,
  StandardSchema,
  Tool,
  ToolContext,
  ToolDefinition,
} from '@ravi/kernel';
import { classifyContinuation } from './classify-continuation.ts';
import { StatefulCallRegistry } from './stateful-call-registry.ts';

/** Options of {@link defineStatefulTool}: a tool that works in parts, with a reply of the model after each `yield`. */
export interface StatefulToolDefinition<Schema extends JsonSchema | StandardSchema> extends Omit<
  ToolDefinition<Schema>,
  'execute' | 'outputSchema' | 'checkCall' | 'reconcile' | 'retry'
> {
  /**
   * `yield` returns an intermediate result to the model and evaluates to its reply; `return` gives the last result. All
   * parts share one context: its `callId`, `idempotencyKey` and `progress` are those of the current call, and its
   * `signal` is aborted when no call can follow.
   */
  execute(args: ArgumentsOf<Schema>, context: ToolContext): AsyncGenerator<JsonValue, JsonValue | undefined, JsonValue>;
}

/**
 * Defines two tools for one generator: `<name>` starts it and returns the first intermediate result with an id,
 * `<name>_continue` continues or stops it. Both pass every gate with the same risk and the same locks: a start that needs
 * approval needs it again for each continuation, unless the approval was for the whole run. A generator ends with its
 * session, and when one of its calls is cancelled or times out, because that result would reach no one. A session may have
 * 100 open calls of each tool.
 */
export function defineStatefulTool<const Schema extends JsonSchema | StandardSchema>(
  definition: StatefulToolDefinition<Schema>,
): readonly [start: Tool, next: Tool] {
  const { name, description, execute, promptHint, documentation, inputSchema, ...rest } = definition;
  const { classifyRisk, concurrency, ...common } = rest;
  const calls = new StatefulCallRegistry(name);
  const originalArgs = new WeakMap<ToolContext, JsonObject>();

  const typed = defineTool<Schema>({
    ...common,
    ...(classifyRisk === undefined ? {} : { classifyRisk }),
    ...(concurrency === undefined ? {} : { concurrency }),
    runAfterResponse: true,
    // A generator that has failed cannot be called again.
    retry: false,
    inputSchema,
    name,
    description: `${description} Returns an intermediate result; continue with ${name}_continue.`,
    ...(promptHint === undefined ? {} : { promptHint }),
    ...(documentation === undefined ? {} : { documentation: () => documentation.call(definition) }),
    execute(args, context) {
      const call = calls.open(originalArgs.get(context) as JsonObject, context);
      return call.start((shared) => execute.call(definition, args, shared));
    },
  });
  const start: Tool = {
    ...typed,
    // The continuation derives risk and locks from the same arguments, so it keeps them as they came.
    execute(args, context) {
      originalArgs.set(context, args);
      return typed.execute(args, context);
    },
  };
  const next = defineTool({
    ...common,
    ...classifyContinuation(start, calls),
    // Repeating a reply would answer two intermediate results, even if each part is idempotent.
    idempotent: false,
    retry: false,
    runAfterResponse: true,
    name: `${name}_continue`,
    description: `Continues a call of ${name}, or stops it.`,
    inputSchema: continueSchema,
    async execute(args, context) {
      const call = calls.find(args.id, context);
      return args.stop === true ? call.stop(context) : call.continue(args, context);
    },
  });
  return [start, next];
}

const continueSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'The id from the intermediate result' },
    input: { description: 'Your reply to the intermediate result' },
    stop: { type: 'boolean', description: 'true stops the call and ignores the input' },
  },
  required: ['id'],
  additionalProperties: false,
} as const;
