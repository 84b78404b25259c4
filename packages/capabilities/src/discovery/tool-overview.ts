import type { Tool, ToolRegistry } from '@ravi/kernel';
import { estimateTokens } from '@ravi/support';
import { toolDeclarations } from '../declarations/tool-declarations.ts';
import { parameterList, summaryOf } from './summary.ts';
import { lineOf } from './tool-directory.ts';
import { scriptTools } from './visible-tools.ts';

const defaultOverviewTokens = 2_000;

// Declarations never have more bytes per token.
const maxBytesPerToken = 8;

/**
 * Returns what a model reads about the tools that its scripts may call, in at most `maxTokens` (estimated from above): full
 * declarations; if they do not fit, one line per tool; for more tools, their names; at last, counts by the start of the
 * names. From the second form on the text says how to find and read the rest. Deferred tools are never declared, only
 * found. Tools that `shows` refuses are not named either, because some readers of the text may not call them.
 */
export function toolOverview(
  registry: ToolRegistry,
  maxTokens: number = defaultOverviewTokens,
  shows: (tool: string) => boolean = () => true,
): string {
  const all = scriptTools(registry);
  const tools = all.filter(({ name }) => shows(name));
  const listed = tools.filter((tool) => tool.deferLoading !== true);
  const deferred = tools.filter((tool) => tool.deferLoading === true);
  const declared = declarations(listed, maxTokens);
  if (declared !== undefined && deferred.length === 0 && tools.length === all.length) return declared;

  const help = discoveryHelp(registry);
  const left = maxTokens - estimateTokens(help);
  const list =
    (declared !== undefined && estimateTokens(declared) <= left ? declared : undefined) ?? listing(listed, left);
  const more = deferredGroups(deferred, left - estimateTokens(list));
  return [list, more, help].filter((part) => part !== '').join('\n\n');
}

// With `$`, which tool names cannot contain, if a tool has the plain name.
function discoveryNames(registry: ToolRegistry): { readonly search: string; readonly describe: string } {
  const free = (name: string): string => (registry.get(name) === undefined ? `tools.${name}` : `tools.$${name}`);
  return { search: free('search'), describe: free('describe') };
}

function discoveryHelp(registry: ToolRegistry): string {
  const { search, describe } = discoveryNames(registry);
  return `Find tools in the script, at no cost: await ${search}('words of the task', { limit, page }) gives { showing, total, page, pages, tools: [{ name, parameters, description }] }; 'name_*' lists by the start of the name. await ${describe}('name') gives the declaration as text, ${describe}('name', 'summary') one line. Read the declaration before the first call of a tool.`;
}

function declarations(tools: readonly Tool[], maxTokens: number): string | undefined {
  const declared = toolDeclarations(tools, { maxBytes: maxTokens * maxBytesPerToken });
  const text = `\`\`\`ts\n${declared.text}\`\`\``;
  return declared.untyped.length === 0 && estimateTokens(text) <= maxTokens ? text : undefined;
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

// All tools in this form; `undefined` if they do not fit.
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

interface Group {
  readonly prefix: string;
  readonly names: readonly string[];
}

/** Returns names grouped by their start, largest group first, as many groups as fit into `maxTokens`: `github_* 63, …`. */
export function toolGroups(names: readonly string[], maxTokens: number): string {
  const groups = groupsOf(names);
  const shown: string[] = [];
  let tools = 0;
  // Room for the words about the rest.
  let left = maxTokens - 30;
  for (const group of groups) {
    const text = group.names.length === 1 ? `${group.names[0]}` : `${group.prefix}* ${group.names.length}`;
    left -= estimateTokens(`${text}, `);
    if (left < 0) break;
    shown.push(text);
    tools += group.names.length;
  }
  const rest = groups.length - shown.length;
  if (rest > 0) shown.push(`and ${rest} more groups with ${names.length - tools} tools`);
  return shown.join(', ');
}

function groupsOf(names: readonly string[]): readonly Group[] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const prefix = prefixOf(name);
    const group = groups.get(prefix);
    if (group === undefined) groups.set(prefix, [name]);
    else group.push(name);
  }
  return [...groups]
    .map(([prefix, members]) => ({ prefix, names: members }))
    .toSorted((left, right) => right.names.length - left.names.length || (left.prefix < right.prefix ? -1 : 1));
}

// The name of a server before a dot or a double underscore, else the first word.
function prefixOf(name: string): string {
  return /^(?:mcp__)?.+?(?:\.|__)/.exec(name)?.[0] ?? /^[A-Za-z0-9]+?(?:[_-]|(?=[A-Z]))/.exec(name)?.[0] ?? name;
}
