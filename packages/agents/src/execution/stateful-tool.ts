import { defineTool, KernelError } from '@ravi/kernel';
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
import { sessionOf } from '../invoke/call-context.ts';
import type { InvokerSession } from '../invoke/session.ts';
import { randomId } from '../random-id.ts';

/** A tool that works in parts: after each `yield` the model may say how to go on. */
export interface StatefulToolDefinition<Schema extends JsonSchema | StandardSchema> extends Omit<
  ToolDefinition<Schema>,
  'execute' | 'outputSchema'
> {
  /** `yield` gives an intermediate result and the input that the model answers it with, `return` the last one. */
  execute(args: ArgumentsOf<Schema>, context: ToolContext): AsyncGenerator<JsonValue, JsonValue | undefined, JsonValue>;
}

interface Part {
  readonly steps: AsyncGenerator<JsonValue, JsonValue | undefined, JsonValue>;
}

/**
 * Two tools for one generator: `<name>` starts it and gives its first intermediate result with an id, `<name>_continue`
 * goes on with it or ends it. Both pass every gate with the same risk and locks, so that what needed approval to start
 * needs it to go on, unless the approval was for the run. What is still open when its session closes is returned.
 */
export function defineStatefulTool<const Schema extends JsonSchema | StandardSchema>(
  definition: StatefulToolDefinition<Schema>,
): readonly [start: Tool, next: Tool] {
  const { name, description, execute, promptHint, documentation, inputSchema, ...common } = definition;
  const open = new WeakMap<InvokerSession, Map<string, Part>>();

  function partsOf(context: ToolContext): Map<string, Part> {
    const session = sessionOf(context);
    if (session === undefined) throw new KernelError('E_TOOL_NOT_CALLABLE', `${name} needs a session of an invoker`);
    return open.get(session) ?? openParts(session);
  }

  function openParts(session: InvokerSession): Map<string, Part> {
    const parts = new Map<string, Part>();
    open.set(session, parts);
    const close = (): void => {
      for (const { steps } of parts.values()) void steps.return(undefined).catch(() => {});
    };
    session.signal.addEventListener('abort', close, { once: true });
    return parts;
  }

  async function advance(context: ToolContext, id: string, input: JsonValue): Promise<JsonValue> {
    const parts = partsOf(context);
    const part = parts.get(id);
    if (part === undefined) throw new KernelError('E_ARGUMENTS_INVALID', `${name} has nothing open with the id ${id}`);
    // Taken out while it works: two answers to one question do not both count.
    parts.delete(id);
    const { done, value } = await part.steps.next(input);
    if (done === true) return { id, status: 'done', value: value ?? null };
    parts.set(id, part);
    return { id, status: 'waiting', value };
  }

  const start = defineTool({
    ...common,
    inputSchema,
    name,
    description: `${description} Gives an intermediate result; go on with ${name}_continue.`,
    ...(promptHint === undefined ? {} : { promptHint }),
    ...(documentation === undefined ? {} : { documentation: () => documentation.call(definition) }),
    execute(args, context) {
      const id = randomId(name);
      partsOf(context).set(id, { steps: execute.call(definition, args, context) });
      return advance(context, id, null);
    },
  });
  const next = defineTool({
    ...common,
    name: `${name}_continue`,
    description: `Goes on with what ${name} has begun, or ends it.`,
    inputSchema: continueSchema,
    execute: (args, context) => goOn(args, context),
  });

  async function goOn(args: JsonObject, context: ToolContext): Promise<JsonValue> {
    const id = args['id'] as string;
    if (args['stop'] !== true) return advance(context, id, args['input'] ?? null);
    const parts = partsOf(context);
    const part = parts.get(id);
    parts.delete(id);
    await part?.steps.return(undefined);
    return { id, status: 'stopped' };
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
