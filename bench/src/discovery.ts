import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { createDiscoveryTools } from '@ravi/capabilities';
import { defineTool } from '@ravi/kernel';
import type { JsonSchema, Tool } from '@ravi/kernel';
import { sharedDataFile } from '@ravi/testkit';
import type { BenchGroup, BenchRow } from './row.ts';
import { rowsOf } from './rows-of.ts';

const toolCount = 3_413;
const queryStep = 37;
const lagResolutionMs = 1;

/** Measures finding one of 3413 tools through the invoker, and building the index. */
export const benchDiscovery: BenchGroup = async ({ rounds }) => {
  const real = realTools();
  const tools = real ?? generatedTools();
  const queries = tools.filter((_, index) => index % queryStep === 0).map(queryFor);
  const search = await openSearch(tools.map(({ tool }) => tool));
  await search(queries[0] ?? '');

  const group = 'discovery';
  const stalls: number[] = [];
  const building = async (): Promise<number> => {
    const first = await openSearch(tools.map(({ tool }) => tool));
    const lag = monitorEventLoopDelay({ resolution: lagResolutionMs });
    lag.enable();
    const took = await timed(() => first('weather'));
    lag.disable();
    stalls.push(Math.max(0, lag.max / 1e6 - lagResolutionMs));
    return took;
  };
  const rows: BenchRow[] = [
    ...(await rowsOf(
      {
        group,
        name: `mean of ${queries.length} searches among ${toolCount} tools`,
        unit: 'ms',
        goal: '≤ 20 ms',
        ours: { name: 'ours', measure: async () => (await timed(() => inTurn(queries, search))) / queries.length },
      },
      rounds,
    )),
    ...(await rowsOf(
      { group, name: 'first search, which builds the index', unit: 'ms', ours: { name: 'ours', measure: building } },
      rounds,
    )),
    { group, name: 'longest stall of the host meanwhile', unit: 'ms', ours: Math.max(...stalls), goal: '≤ 100 ms' },
  ];
  if (real !== undefined) return rows;
  return rows.map((row) => ({ ...row, note: 'generated tools: the real ones were not found' }));
};

interface BenchTool {
  readonly tool: Tool;
  readonly description: string;
}

async function openSearch(tools: readonly Tool[]): Promise<(query: string) => Promise<void>> {
  const toolbox = new Toolbox(tools);
  for (const tool of createDiscoveryTools(toolbox)) toolbox.add(tool);
  const invoker = new ToolInvoker({ registry: toolbox });
  const session = invoker.openSession({ policy: { maxToolCalls: 1_000_000 } });
  return async (query) => {
    const { status, text } = await invoker.invoke({ name: 'search_tools', args: { query } }, { session });
    if (status !== 'ok') throw new Error(text);
  };
}

async function inTurn(queries: readonly string[], search: (query: string) => Promise<void>): Promise<void> {
  for (const query of queries) await search(query);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Returns the first words of a tool's description. */
function queryFor({ description }: BenchTool): string {
  return description.split(/\s+/).slice(0, 6).join(' ').slice(0, 200);
}

function realTools(): readonly BenchTool[] | undefined {
  const file = sharedDataFile('toolschemas/mcp-tools.jsonl');
  if (file === undefined) return undefined;
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line, index) => {
      const { name, description, inputSchema } = JSON.parse(line) as Partial<Tool>;
      return benchTool(`${String(name).replaceAll(/\W/g, '_').slice(0, 50)}_${index}`, description ?? '', inputSchema);
    });
}

function generatedTools(): readonly BenchTool[] {
  const verbs = ['get', 'list', 'create', 'update', 'delete', 'search', 'send', 'convert'];
  const things = Array.from({ length: 430 }, (_, index) => `thing${index}`);
  return Array.from({ length: toolCount }, (_, index) => {
    const verb = verbs[index % verbs.length] ?? '';
    const thing = things[Math.floor(index / verbs.length)] ?? '';
    return benchTool(`${verb}_${thing}`, `Lets you ${verb} one ${thing} of the account, with its fields and history.`);
  });
}

function benchTool(name: string, description: string, inputSchema: JsonSchema = { type: 'object' }): BenchTool {
  const safeName = /^[a-zA-Z_]/.test(name) ? name : `_${name}`;
  return { tool: defineTool({ name: safeName, description, inputSchema, execute: () => 'done' }), description };
}
