import { defineToolSource, definePlugin, isKernelError, KernelError } from '@ravi/kernel';
import type { JsonSchema, OpenToolSource, Plugin, PluginContext, Tool, ToolSource } from '@ravi/kernel';

/** Options that every package of tools has. */
export interface ToolSelection {
  /** Name of the source in reports. Default: the prefix and the name of the package. */
  readonly name?: string;
  /** Names of the tools to offer. Default: all of the package. */
  readonly tools?: readonly string[];
  /** First part of the names of the tools, for example `docs_`, if a package is configured more than once. Default: none. */
  readonly prefix?: string;
}

/** Definition of a package of tools. */
export interface ToolsPluginDefinition<Options, Parts> {
  /** Name of the plugin, and of its source. */
  readonly name: string;
  /** Schemas of the options other than those of {@link ToolSelection}. The only place for their defaults. */
  readonly options: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /**
   * Factories of the tools by name, in the order in which they are listed. Each returns a tool of that name, or `undefined` if the options
   * leave out what it needs.
   */
  readonly tools: Readonly<Record<string, (parts: Parts) => Tool | undefined>>;
  /**
   * Opens the resources that the tools share. Parts with `[Symbol.asyncDispose]` are disposed with the source.
   * @throws KernelError `E_CONFIG_INVALID` for an option that names something that does not exist
   */
  open(options: Options & ToolSelection, context: PluginContext): Parts | Promise<Parts>;
}

/** Creates the plugin of a package of tools: a source whose tools the configuration chooses by name. */
export function defineToolsPlugin<Options extends object, Parts extends object>(
  definition: ToolsPluginDefinition<Options, Parts>,
): Plugin<'toolSource', Options & ToolSelection> {
  const names = Object.keys(definition.tools);
  return definePlugin<'toolSource', Options & ToolSelection>({
    name: definition.name,
    port: 'toolSource',
    configSchema: {
      type: 'object',
      properties: {
        name: {
          type: 'string',
          pattern: '^[A-Za-z][A-Za-z0-9_-]{0,31}$',
          description: `Name of the source in reports. Default: the prefix and ${definition.name}.`,
        },
        tools: {
          type: 'array',
          items: { enum: names },
          minItems: 1,
          uniqueItems: true,
          description: 'Names of the tools to offer. Default: all.',
        },
        prefix: {
          type: 'string',
          pattern: '^[A-Za-z_][A-Za-z0-9_]{0,30}$',
          description:
            'First part of the names of the tools, if a package is configured more than once. Default: none.',
        },
        ...definition.options,
      },
      required: [...(definition.required ?? [])],
      additionalProperties: false,
    },
    create: (options, context) => createSource(definition, options, context),
  });
}

function createSource<Options extends object, Parts extends object>(
  definition: ToolsPluginDefinition<Options, Parts>,
  options: Options & ToolSelection,
  context: PluginContext,
): ToolSource {
  const { prefix = '', name = `${prefix}${definition.name}`, tools: chosen = Object.keys(definition.tools) } = options;
  let parts: Parts | undefined;
  const source = defineToolSource({
    name,
    async load() {
      const opened = await openParts(definition, options, context, name);
      parts = opened;
      const tools = chosen.flatMap((tool) => definition.tools[tool]?.(opened) ?? []);
      return { tools: tools.map((tool) => withPrefix(tool, prefix)), failures: [] };
    },
  });
  return {
    name,
    async open(openOptions): Promise<OpenToolSource> {
      const open = await source.open(openOptions);
      return {
        content: () => open.content(),
        async [Symbol.asyncDispose]() {
          await open[Symbol.asyncDispose]();
          if (isDisposable(parts)) await parts[Symbol.asyncDispose]();
        },
      };
    },
  };
}

// The configuration may have several packages with the same option, such as `root`.
async function openParts<Options extends object, Parts extends object>(
  definition: ToolsPluginDefinition<Options, Parts>,
  options: Options & ToolSelection,
  context: PluginContext,
  source: string,
): Promise<Parts> {
  try {
    return await definition.open(options, context);
  } catch (error) {
    if (!isKernelError(error, 'E_CONFIG_INVALID')) throw error;
    throw new KernelError('E_CONFIG_INVALID', `${source}: ${error.message}`, { cause: error });
  }
}

function withPrefix(tool: Tool, prefix: string): Tool {
  return prefix === '' ? tool : { ...tool, name: `${prefix}${tool.name}` };
}

function isDisposable(value: object | undefined): value is AsyncDisposable {
  return value !== undefined && Symbol.asyncDispose in value;
}
