import { KernelError, nearNames } from '@ravi/kernel';
import { describeTools, openMonolith, tokens } from '@ravi/monolith';
import type { ToolDescription } from '@ravi/monolith';
import { exitCode } from '../exit-code.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { createTextLogger } from '../text-logger.ts';

/** Options of the commands about tools. */
export interface ToolsOptions {
  readonly config?: string;
  readonly json?: boolean;
}

/** Lists every tool of the installation with its risk and source. */
export async function listTools(options: ToolsOptions, terminal: Terminal): Promise<ExitCode> {
  const tools = await loadDescriptions(options, terminal);
  if (options.json === true) {
    terminal.print(JSON.stringify({ tools }));
    return exitCode.ok;
  }
  const width = Math.max(0, ...tools.map(({ name }) => name.length));
  for (const { name, risk = 'hosted', description } of tools) {
    terminal.print(`${name.padEnd(width)}  ${risk.padEnd(8)}  ${firstLine(description)}`);
  }
  return exitCode.ok;
}

/** Shows one tool with its schemas. @throws KernelError `E_TOOL_UNKNOWN` with near names */
export async function describeTool(name: string, options: ToolsOptions, terminal: Terminal): Promise<ExitCode> {
  const tools = await loadDescriptions(options, terminal);
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw unknownTool(name, tools);
  if (options.json === true) {
    terminal.print(JSON.stringify(tool));
    return exitCode.ok;
  }
  const { description, kind, risk, source, inputSchema, outputSchema } = tool;
  terminal.print(`${name} (${[kind, risk].filter(Boolean).join(', ')}, from ${source})\n\n${description}`);
  if (inputSchema !== undefined) terminal.print(`\ninput ${JSON.stringify(inputSchema, undefined, 2)}`);
  if (outputSchema !== undefined) terminal.print(`\noutput ${JSON.stringify(outputSchema, undefined, 2)}`);
  return exitCode.ok;
}

async function loadDescriptions(
  { config: configPath }: ToolsOptions,
  { cwd, env, warn }: Terminal,
): Promise<readonly ToolDescription[]> {
  await using monolith = await openMonolith({ configPath, cwd, env, logger: createTextLogger(warn) });
  const { container } = monolith;
  return describeTools(container.resolve(tokens.toolbox), container.resolve(tokens.config).policy);
}

function unknownTool(name: string, tools: readonly ToolDescription[]): KernelError {
  const names = tools.map((tool) => tool.name);
  const near = nearNames(name, names);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `known are ${names.join(', ') || 'none'}`;
  return new KernelError('E_TOOL_UNKNOWN', `There is no tool "${name}"; ${hint}`);
}

function firstLine(description: string): string {
  return description.split('\n', 1)[0] ?? '';
}
