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
import { judgeByStart } from './judge-by-start.ts';
import { OpenDialogues } from './open-dialogues.ts';

/** A tool that works in parts: after each `yield` the model may say how to go on. */
export interface StatefulToolDefinition<Schema extends JsonSchema | StandardSchema> extends Omit<
  ToolDefinition<Schema>,
  'execute' | 'outputSchema'
> {
  /**
   * `yield` gives an intermediate result and the input that the model answers it with, `return` the last one. The
   * context is one for all parts: its `callId`, `idempotencyKey` and `progress` are those of the call that is worked on,
   * its `signal` is aborted when nobody will go on any more.
   */
  execute(args: ArgumentsOf<Schema>, context: ToolContext): AsyncGenerator<JsonValue, JsonValue | undefined, JsonValue>;
}

/**
 * Two tools for one generator: `<name>` starts it and gives its first intermediate result with an id, `<name>_continue`
 * goes on with it or ends it. Both pass every gate with the same risk and locks, so that what needed approval to start
 * needs it to go on, unless the approval was for the run. What is still open when its session closes is returned, and so
 * is what works for a call that is cancelled or times out, since nobody would get its result. A session may have 100 open
 * of each tool.
 */
export function defineStatefulTool<const Schema extends JsonSchema | StandardSchema>(
  definition: StatefulToolDefinition<Schema>,
): readonly [start: Tool, next: Tool] {
  const { name, description, execute, promptHint, documentation, inputSchema, ...common } = definition;
  const dialogues = new OpenDialogues(name);
  const asked = new WeakMap<ToolContext, JsonObject>();

  const typed = defineTool({
    ...common,
    waitsForAnswer: true,
    inputSchema,
    name,
    description: `${description} Gives an intermediate result; go on with ${name}_continue.`,
    ...(promptHint === undefined ? {} : { promptHint }),
    ...(documentation === undefined ? {} : { documentation: () => documentation.call(definition) }),
    execute(args, context) {
      const dialogue = dialogues.open(asked.get(context) as JsonObject, context);
      return dialogue.start((shared) => execute.call(definition, args, shared));
    },
  });
  const start: Tool = {
    ...typed,
    // Risk and locks are judged by the arguments as they are before a schema library makes something else of them.
    execute(args, context) {
      asked.set(context, args);
      return typed.execute(args, context);
    },
  };
  const next = defineTool({
    ...common,
    ...judgeByStart(start, dialogues),
    // The same answer twice would answer two intermediate results, whatever the parts of it do.
    idempotent: false,
    waitsForAnswer: true,
    name: `${name}_continue`,
    description: `Goes on with what ${name} has begun, or ends it.`,
    inputSchema: continueSchema,
    execute: (args, context) => goOn(args, context),
  });

  async function goOn(args: JsonObject, context: ToolContext): Promise<JsonValue> {
    const dialogue = dialogues.find(args['id'] as string, context);
    return args['stop'] === true ? dialogue.stop(context) : dialogue.goOn(args, context);
  }

  return [start, next];
}

const continueSchema = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'The id that came with the intermediate result' },
    input: { description: 'Your answer to the intermediate result' },
    stop: { type: 'boolean', description: 'true ends it instead' },
  },
  required: ['id'],
  additionalProperties: false,
} as const;
