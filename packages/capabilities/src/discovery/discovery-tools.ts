import { adviceOn, offerTool } from '@ravi/agents';
import { sessionOf } from '@ravi/invoker';
import { defineTool } from '@ravi/kernel';
import type { Tool, ToolContext, ToolRegistry } from '@ravi/kernel';
import { lineOf, toolDirectoryOf } from './tool-directory.ts';
import type { DescribeOptions, ToolQuery } from './tool-directory.ts';
import { modelTools, scriptTools } from './visible-tools.ts';

const count = { type: 'integer', minimum: 1 } as const;
const scripts = { type: 'boolean', description: 'Only tools that scripts may call' } as const;

/**
 * Creates `search_tools` and `describe_tool`, which give the model what scripts have as `tools.search` and
 * `tools.describe`. They find the tools that the session may call, including deferred ones, and no others. The model of an agent may
 * call a deferred tool after it was described.
 */
export function createDiscoveryTools(registry: ToolRegistry): readonly Tool[] {
  const directory = toolDirectoryOf(registry);

  function findable(context: ToolContext, forScripts: unknown): readonly Tool[] {
    const tools = forScripts === true ? scriptTools : modelTools;
    return tools(registry, sessionOf(context)).filter(({ name }) => name !== search.name && name !== describe.name);
  }

  const search = defineTool({
    name: 'search_tools',
    description:
      'Finds tools by what they do, best first: give the task in a few words. An empty query lists all tools, name_* ' +
      'those whose names start with name_.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', maxLength: 500 },
        limit: { ...count, maximum: 20, default: 10 },
        page: count,
        scripts,
      },
      required: ['query'],
      additionalProperties: false,
    },
    risk: 'safe',
    allowedCallers: ['direct'],
    async execute(args, context) {
      const { scripts: forScripts, ...query } = args as unknown as ToolQuery & { readonly scripts?: boolean };
      const { showing, page, pages, tools } = await directory.search(query, findable(context, forScripts));
      const more = page < pages ? `; continued on page ${page + 1}` : '';
      return [`Tools ${showing}${more}`, ...tools.map((tool) => `- ${lineOf(tool)}`)].join('\n');
    },
  });

  const describe = defineTool({
    name: 'describe_tool',
    description:
      'Describes one tool, which you may then call: summary is its parameters and one line, full its complete declaration and documentation.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: 128 },
        detail: { enum: ['name', 'summary', 'full'], default: 'full' },
        page: { ...count, description: 'Part of a long declaration' },
        scripts,
      },
      required: ['name'],
      additionalProperties: false,
    },
    risk: 'safe',
    allowedCallers: ['direct'],
    execute(args, context) {
      const { name, scripts: forScripts, ...options } = args as { name: string; scripts?: boolean } & DescribeOptions;
      const advice = adviceOn(name, sessionOf(context));
      const text = directory.describe(name, findable(context, forScripts), { ...options, advice });
      if (forScripts !== true && options.detail !== 'name') offerTool(context, name);
      return text;
    },
  });

  return [search, describe];
}
