import { isLocalTool, systemClock } from '@ravi/kernel';
import type { Clock, JsonObject, OpenToolSource, Tool, ToolContext, ToolExecutionResult } from '@ravi/kernel';
import { scriptCommand } from '@ravi/mcp-testing';
import { createMemoryLogger, createToolContext } from '@ravi/testkit';
import { createMcpSource } from '../../src/index.ts';
import type { McpServerOptions, StdioServerOptions } from '../../src/index.ts';

/** Open source with short ways to its tools. */
export interface TestSource extends AsyncDisposable {
  readonly open: OpenToolSource;
  readonly logger: ReturnType<typeof createMemoryLogger>;
  /** Names of the current tools. */
  names(): readonly string[];
  tool(name: string): Tool;
  call(name: string, args?: JsonObject, context?: Partial<ToolContext>): Promise<ToolExecutionResult>;
  /** Resolves when the source has reported a change after which `holds` is true. */
  until(holds: () => boolean): Promise<void>;
  state(): string;
}

/** Opens a source as a server would. Disposes itself. */
export async function openSource(options: McpServerOptions, clock: Clock = systemClock): Promise<TestSource> {
  const logger = createMemoryLogger();
  let wake = Promise.withResolvers<void>();
  const onChange = (): void => {
    wake.resolve();
    wake = Promise.withResolvers<void>();
  };
  const open = await createMcpSource(options, { clock, logger }).open({
    signal: new AbortController().signal,
    onChange,
  });
  const tool = (name: string): Tool => {
    const found = open.content().tools.find((each) => each.name === name);
    if (found === undefined || !isLocalTool(found)) throw new TypeError(`There is no tool ${name}`);
    return found;
  };
  return {
    open,
    logger,
    names: () => open.content().tools.map(({ name }) => name),
    tool,
    call: (name, args = {}, context = {}) => tool(name).execute(args, createToolContext(context)),
    async until(holds) {
      while (!holds()) await wake.promise;
    },
    state: () => open.remote?.status().state ?? '',
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}

/** Returns the options of a script of `scripts.ts` that runs as a child process. */
export function scriptOptions(name: string): StdioServerOptions {
  return { name: 'script', ...scriptCommand(name, new URL('scripts.ts', import.meta.url)) };
}
