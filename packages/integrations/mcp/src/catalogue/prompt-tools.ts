import { textBlock } from '@ravi/kernel';
import type { ContentBlock, JsonObject } from '@ravi/kernel';
import { converse } from '../call/converse.ts';
import { checkSize, readBlock } from '../call/read-result.ts';
import type { Connection } from '../connection/connection.ts';
import { shown } from '../connection/describe-failure.ts';
import type { McpLimits } from '../options.ts';
import { listPages } from './list-pages.ts';
import type { ListFailure, OfferedTool } from './listed-tool.ts';

const maxArguments = 50;
const namePattern = /^[^\p{Cc}]{1,200}$/u;

/** Reads the prompts of a server, each as a tool that returns its messages. */
export async function listPromptTools(
  connection: Connection,
  limits: McpLimits,
  signal: AbortSignal,
): Promise<{ readonly tools: readonly OfferedTool[]; readonly failures: readonly ListFailure[] }> {
  if (connection.client.getServerCapabilities()?.prompts === undefined) return { tools: [], failures: [] };
  const { entries, isCut } = await listPages(connection.client, 'prompts', limits, signal);
  const tools: OfferedTool[] = [];
  const failures: ListFailure[] = isCut
    ? [
        {
          from: 'prompts/list',
          message: `lists more than ${limits.tools} prompts (limits.tools); the first ones count`,
        },
      ]
    : [];
  for (const listed of entries) {
    const tool = promptTool(listed);
    if ('message' in tool) failures.push(tool);
    else tools.push(tool);
  }
  return { tools, failures };
}

function promptTool({ name, description, arguments: listed = [] }: JsonObject): OfferedTool | ListFailure {
  if (typeof name !== 'string' || !namePattern.test(name))
    return { from: shown(JSON.stringify(name)), message: 'is not a name of a prompt' };
  if (!Array.isArray(listed) || listed.length > maxArguments) {
    return { from: shown(name), message: `has no list of at most ${maxArguments} arguments` };
  }
  const properties = new Map<string, object>();
  const required: string[] = [];
  for (const argument of listed as readonly JsonObject[]) {
    const { name: key, description: about, required: isRequired } = argument ?? {};
    if (typeof key !== 'string' || !namePattern.test(key))
      return { from: shown(name), message: 'has an argument without a name' };
    properties.set(key, { type: 'string', ...(typeof about === 'string' ? { description: shown(about) } : {}) });
    if (isRequired === true) required.push(key);
  }
  return {
    name: `prompts.${name}`,
    description:
      `Returns the prompt ${shown(name)} of the server. ${typeof description === 'string' ? shown(description) : ''}`.trim(),
    inputSchema: { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false },
    hints: { isReadOnly: true },
    execute: (args, context, parts) =>
      converse(
        context,
        parts,
        (answers, options) =>
          parts.connection.client.getPrompt({ name, arguments: args as Record<string, string>, ...answers }, options),
        async ({ messages }) => {
          const blocks = messages.map(({ content: block }) => block);
          checkSize(blocks, undefined, parts.limits);
          const content: ContentBlock[] = [];
          for (const { role, content: block } of messages) {
            const [first, ...rest] = await readBlock(block, false, context, parts.limits);
            if (first?.type === 'text') content.push(textBlock(`${role}: ${first.text}`), ...rest);
            else if (first !== undefined) content.push(textBlock(`${role}:`), first, ...rest);
          }
          return { content, isError: false };
        },
      ),
  };
}
