import type { Tool, ToolRegistry } from '@ravi/kernel';
import { toolStubs } from '../chain/stubs/tool-stubs.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { parameterList, summaryOf } from './summary.ts';
import { lineOf } from './tool-directory.ts';
import { toolGroups } from './tool-groups.ts';
import { scriptTools } from './visible-tools.ts';

const defaultOverviewTokens = 2_000;

// No declaration has more bytes a token.
const maxBytesPerToken = 8;

/**
 * What a model is told of the tools that its scripts may call, in at most `maxTokens` (an estimate from above): their
 * full declarations; where those do not fit, one line for each; where there are more still, names, and at last how many
 * there are by the start of their names. From the second form on it says how to find and read the rest. Deferred tools
 * are never declared, only found.
 */
export function toolOverview(registry: ToolRegistry, maxTokens: number = defaultOverviewTokens): string {
  const tools = scriptTools(registry);
  const listed = tools.filter((tool) => tool.deferLoading !== true);
  const deferred = tools.filter((tool) => tool.deferLoading === true);
  const declared = declarations(listed, maxTokens);
  if (declared !== undefined && deferred.length === 0) return declared;

  const help = discoveryHelp(registry);
  const left = maxTokens - estimateTokens(help);
  const list =
    (declared !== undefined && estimateTokens(declared) <= left ? declared : undefined) ?? listing(listed, left);
  const more = deferredGroups(deferred, left - estimateTokens(list));
  return [list, more, help].filter((part) => part !== '').join('\n\n');
}

// With `$`, which no tool's name has, where a tool has the plain name.
function discoveryNames(registry: ToolRegistry): { readonly search: string; readonly describe: string } {
  const free = (name: string): string => (registry.get(name) === undefined ? `tools.${name}` : `tools.$${name}`);
  return { search: free('search'), describe: free('describe') };
}

function discoveryHelp(registry: ToolRegistry): string {
  const { search, describe } = discoveryNames(registry);
  return `Find tools in the script, at no cost: await ${search}('words of the task', { limit, page }) gives { showing, total, page, pages, tools: [{ name, parameters, description }] }; 'name_*' lists by the start of the name. await ${describe}('name') gives the declaration as text, ${describe}('name', 'summary') one line. Read the declaration before the first call of a tool.`;
}

function declarations(tools: readonly Tool[], maxTokens: number): string | undefined {
  const stubs = toolStubs(tools, { maxBytes: maxTokens * maxBytesPerToken });
  const text = `\`\`\`ts\n${stubs.text}\`\`\``;
  return stubs.untyped.length === 0 && estimateTokens(text) <= maxTokens ? text : undefined;
}

function listing(tools: readonly Tool[], maxTokens: number): string {
  if (tools.length === 0) return '';
  const forms = [
    (tool: Tool) => `- ${lineOf({ name: tool.name, parameters: parameterList(tool), description: summaryOf(tool) })}\n`,
    (tool: Tool) => `- ${tool.name}: ${summaryOf(tool, 60)}\n`,
    (tool: Tool) => `${tool.name}, `,
  ];
  const title = `${tools.length} tools:\n`;
  for (const form of forms) {
    const text = joinWithin(tools, form, maxTokens - estimateTokens(title));
    if (text !== undefined) return title + text.replace(/(?:\n|, )$/, '');
  }
  const groups = toolGroups(
    tools.map((tool) => tool.name),
    maxTokens - 20,
  );
  return `${tools.length} tools, counted by the start of their names:\n${groups}`;
}

/** All tools in this form; `undefined` as soon as they are too many. */
function joinWithin(tools: readonly Tool[], form: (tool: Tool) => string, maxTokens: number): string | undefined {
  let left = maxTokens;
  let text = '';
  for (const tool of tools) {
    const line = form(tool);
    left -= estimateTokens(line);
    if (left < 0) return undefined;
    text += line;
  }
  return text;
}

function deferredGroups(tools: readonly Tool[], maxTokens: number): string {
  if (tools.length === 0) return '';
  const groups = toolGroups(
    tools.map((tool) => tool.name),
    maxTokens - 20,
  );
  return `${tools.length} more tools, found by search only:\n${groups}`;
}
