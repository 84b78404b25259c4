import { isLocalTool, KernelError } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import type { Tool, ToolRegistry } from '@ravi/kernel';
import { parameterList, summaryOf } from './summary.ts';
import { createToolIndex } from './tool-index.ts';
import { commonTypes } from '../declarations/shared-types.ts';
import { toolDeclarations } from '../declarations/tool-declarations.ts';

/** Detail of a description: the name, the name with parameters and one line, or the whole declaration. */
export type ToolDetail = 'name' | 'summary' | 'full';

/** A search for tools. */
export interface ToolQuery {
  /** Words of the task; empty for all tools, `github_*` for all whose names start with `github_`. At most 500 characters count. */
  readonly query: string;
  /** Tools per page; 10 when absent, at most 100. */
  readonly limit?: number;
  /** From 1. */
  readonly page?: number;
}

/** One page of search results. */
export interface ToolSearchPage {
  /** `11-20 of 57`. */
  readonly showing: string;
  readonly total: number;
  readonly page: number;
  readonly pages: number;
  readonly tools: readonly ToolSummary[];
}

/** A tool in one line. */
export interface ToolSummary {
  readonly name: string;
  /** `owner, repo, title, body?` */
  readonly parameters: string;
  readonly description: string;
}

/** Search in the tools of a registry. It finds only the given tools, because the caller decides what may be found. */
export interface ToolDirectory {
  /** Returns the best matches first, or sorts by name for an empty query or a prefix. */
  search(query: ToolQuery, tools: readonly Tool[]): Promise<ToolSearchPage>;
  /**
   * Returns the description of a tool.
   * @throws KernelError `E_TOOL_UNKNOWN`, with similar names among the given tools
   */
  describe(name: string, tools: readonly Tool[], options?: DescribeOptions): string;
}

/** Options of `describe`. */
export interface DescribeOptions {
  /** `full` when absent. */
  readonly detail?: ToolDetail;
  /** Part of a long declaration, starting at 1. */
  readonly page?: number;
  /** Tool skills about it, at the end of its whole declaration. */
  readonly advice?: string;
}

const defaultLimit = 10;
const maxLimit = 100;
const maxQueryCharacters = 500;
// Small enough to stay inline in a result for the model, with the default policy.
const maxPartCharacters = 3_000;

const directories = new WeakMap<ToolRegistry, ToolDirectory>();

/** Returns the directory of a registry. Its index is built by the first search and follows the registry from then on. */
export function toolDirectoryOf(registry: ToolRegistry): ToolDirectory {
  let directory = directories.get(registry);
  if (directory === undefined) directories.set(registry, (directory = createToolDirectory(registry)));
  return directory;
}

function createToolDirectory(registry: ToolRegistry): ToolDirectory {
  const index = createToolIndex();

  async function rank(query: string, tools: ReadonlyMap<string, Tool>): Promise<readonly string[]> {
    const words = query.slice(0, maxQueryCharacters).trim();
    const prefix = /^([^\s*]*)\*?$/.exec(words)?.[1]?.toLowerCase();
    if (words === '' || (words.endsWith('*') && prefix !== undefined)) {
      return [...tools.keys()].filter((name) => name.toLowerCase().startsWith(prefix ?? '')).toSorted();
    }
    await index.update(registry.all().filter(isLocalTool));
    return index.rank(words, (name) => tools.has(name));
  }

  return {
    async search({ query, limit = defaultLimit, page = 1 }, visible) {
      const tools = new Map(visible.map((tool) => [tool.name, tool]));
      const names = await rank(query, tools);
      const { items, ...place } = pageOf(names, page, Math.min(limit, maxLimit));
      return { ...place, tools: items.map((name) => summarise(tools.get(name) as Tool)) };
    },
    describe(name, tools, { detail = 'full', page = 1, advice = '' } = {}) {
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw unknown(name, tools);
      if (detail === 'name') return name;
      const { parameters, description } = summarise(tool);
      if (detail === 'summary') return lineOf({ name, parameters, description });
      return partOf(declarationOf(tool, advice), page);
    },
  };
}

/** Returns a tool in one line: `github_create_issue(owner, repo, title, body?): Opens an issue`. */
export function lineOf({ name, parameters, description }: ToolSummary): string {
  return `${name}(${parameters})${description === '' ? '' : `: ${description}`}`;
}

function summarise(tool: Tool): ToolSummary {
  return { name: tool.name, parameters: parameterList(tool), description: summaryOf(tool) };
}

function unknown(name: string, tools: readonly Tool[]): KernelError {
  const near = nearNames(
    name,
    tools.map((tool) => tool.name),
  );
  const hint = near.length === 0 ? 'Search for it by what it does' : `Did you mean ${near.join(' or ')}?`;
  return new KernelError('E_TOOL_UNKNOWN', `There is no tool named ${JSON.stringify(name.slice(0, 128))}. ${hint}`);
}

function partOf(text: string, page: number): string {
  if (text.length <= maxPartCharacters) return text;
  const lines = text.split('\n').flatMap((line) => line.match(/[^]{1,3000}/gu) ?? ['']);
  const parts: string[] = [];
  for (const line of lines) {
    const last = parts.at(-1);
    if (last === undefined || last.length + line.length >= maxPartCharacters) parts.push(line);
    else parts[parts.length - 1] = `${last}\n${line}`;
  }
  const { items, showing } = pageOf(parts, page, 1);
  const more = page < parts.length ? `; continued on page ${page + 1}` : '';
  return `${items.join('')}\n(part ${showing}${more})`;
}

interface Page<Item> {
  readonly items: readonly Item[];
  /** `11-20 of 57`. */
  readonly showing: string;
  readonly total: number;
  readonly page: number;
  readonly pages: number;
}

// The number of the first page is 1. A page beyond the last is empty and says so.
function pageOf<Item>(all: readonly Item[], page: number, size: number): Page<Item> {
  const total = all.length;
  const first = (page - 1) * size;
  const items = all.slice(first, first + size);
  const range = items.length <= 1 ? `${items.length === 0 ? 0 : first + 1}` : `${first + 1}-${first + items.length}`;
  return { items, showing: `${range} of ${total}`, total, page, pages: Math.ceil(total / size) };
}

// Its declaration in TypeScript, then its own documentation and that of the operator.
function declarationOf(tool: Tool, advice: string): string {
  const declaration = toolDeclarations([tool]).text.slice(commonTypes.length).trim();
  const documentation = documentationOf(tool);
  return [declaration, documentation, advice].filter((part) => part !== '').join('\n\n');
}

function documentationOf(tool: Tool): string {
  try {
    return String(tool.documentation?.() ?? '').trim();
  } catch {
    return '(Its documentation cannot be read.)';
  }
}
