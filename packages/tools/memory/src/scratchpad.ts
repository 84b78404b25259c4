import { defineTool, KernelError } from '@ravi/kernel';
import type { JsonObject, JsonValue, Tool } from '@ravi/kernel';

/** Creates the tool for values that end with the run. */
export function createScratchpad(): Tool {
  return defineTool({
    name: 'scratchpad',
    description:
      'Keeps values during this run: "set" a value under a key, "get" it, "delete" it, or "list" the keys. The tools and scripts of the run share them; they end with it.',
    promptHint: 'scratchpad keeps small values for this run, also over a compaction.',
    risk: 'safe',
    idempotent: true,
    inputSchema: {
      type: 'object',
      properties: {
        action: { enum: ['get', 'set', 'delete', 'list'] },
        key: { type: 'string', minLength: 1, maxLength: 256, description: 'Does not begin with "@". Not for "list".' },
        value: { description: 'Any JSON value, for "set".' },
      },
      required: ['action'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        value: { description: 'Value of "get"; null if there is none.' },
        found: { type: 'boolean', description: 'True if the key had a value.' },
        keys: { type: 'array', items: { type: 'string' } },
      },
    },
    documentation: () =>
      [
        'The scratchpad holds 64 KiB and 1 000 keys. A delegate has a scratchpad of its own; a script shares that of its agent.',
        'With a state store the values outlive pauses and restarts of the server. For values of later runs use remember.',
      ].join('\n'),
    execute(args, { scratchpad, check }): JsonObject {
      check();
      const { action, key, value } = args as unknown as ScratchpadArguments;
      if (action === 'list') return { keys: [...scratchpad.keys()].filter((name) => !isOfTool(name)) };
      if (key === undefined) throw invalid(`"${action}" needs a key`);
      if (isOfTool(key))
        throw invalid(`The key ${JSON.stringify(key)} begins with "@", as the keys of tools do; choose another`);
      const before = scratchpad.get(key) as JsonValue | undefined;
      const found = before !== undefined;
      if (action === 'get') return { value: before ?? null, found };
      if (action === 'delete') {
        scratchpad.delete(key);
        return { found };
      }
      if (value === undefined) throw invalid('"set" needs a value; null is one');
      scratchpad.set(key, value);
      return { found };
    },
  });
}

interface ScratchpadArguments {
  readonly action: 'get' | 'set' | 'delete' | 'list';
  readonly key?: string;
  readonly value?: JsonValue;
}

// Read marks of files, for example: a model that could write them would pass for one that has read the files.
function isOfTool(key: string): boolean {
  return key.startsWith('@');
}

function invalid(message: string): KernelError {
  return new KernelError('E_ARGUMENTS_INVALID', message);
}
