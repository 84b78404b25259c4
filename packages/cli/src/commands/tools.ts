import { isToolRisk, KernelError } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import type { Connection } from '../connection/connection.ts';
import { connect } from '../connection/connect.ts';
import { hasCode } from '../command-error.ts';
import type { CommandBody, Invocation } from '../command.ts';
import { exitCode, exitCodeOfError } from '../exit-code.ts';
import { readJsonObject } from '../read-input.ts';
import { statusText } from '../render/format.ts';
import { tableLines } from '../render/table.ts';
import { visible } from '../render/visible.ts';
import type { Terminal } from '../terminal.ts';

/** Lists the tools with their risk, optionally only those that contain the words or have one risk. */
export const listTools: CommandBody = async (invocation, terminal) => {
  const { query: q, risk: only } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const filter = { ...(q === undefined ? {} : { q }), ...(isToolRisk(only) ? { risk: only } : {}) };
  const { items: tools } = await client.tools.list(filter);
  if (invocation.isJson) return terminal.print(JSON.stringify({ tools }));
  const rows = tools.map(({ name, risk = 'hosted', description }) => [
    visible(name),
    statusText(risk.padEnd(8), terminal),
    visible(description.split('\n', 1)[0] ?? ''),
  ]);
  for (const line of tableLines(rows)) terminal.print(line);
};

/** Shows one tool with its schemas. @throws KernelError `E_TOOL_UNKNOWN` with near names */
export const describeTool: CommandBody = async (invocation, terminal) => {
  const { tool: name = '' } = invocation.values;
  await using client = await connect(invocation, terminal, { needsInstallation: true });
  const tool = await suggesting(client, name, () => client.tools.get(name));
  if (invocation.isJson) return terminal.print(JSON.stringify(tool));
  const { description, kind, risk, source, inputSchema, outputSchema } = tool;
  terminal.print(visible(`${name} (${[kind, risk].filter(Boolean).join(', ')}, from ${source})\n\n${description}`));
  if (inputSchema !== undefined) terminal.print(`\ninput ${visible(JSON.stringify(inputSchema, undefined, 2))}`);
  if (outputSchema !== undefined) terminal.print(`\noutput ${visible(JSON.stringify(outputSchema, undefined, 2))}`);
};

/** Calls a tool through the invoker and prints its result. */
export const callTool: CommandBody = async (invocation, terminal) => {
  const { tool: name = '', args = '{}' } = invocation.values;
  const body = { args: await readJsonObject(args, 'The arguments', terminal) };
  await using client = await connect(invocation, terminal, { decides: true });
  const { risk } = await suggesting(client, name, () => client.tools.get(name));
  if (!client.isEmbedded) sayWhoDecides(name, risk, invocation, terminal);
  terminal.progress(`${name} …`);
  const result = await client.tools.call(name, body);
  const { status, structured, text, error } = result;
  if (invocation.isJson) terminal.print(JSON.stringify(result));
  else if (status !== 'ok') terminal.warn(visible(`${error?.code ?? status}: ${error?.message ?? text}`));
  else terminal.print(visible(structured === undefined ? text : JSON.stringify(structured, undefined, 2)));
  return status === 'ok' ? exitCode.ok : exitCodeOfError(error?.code ?? '');
};

// The approvers of the server decide, because the call has no run whose events this command could follow.
function sayWhoDecides(name: string, risk: string | undefined, { values }: Invocation, { warn }: Terminal): void {
  if (values['approve'] !== undefined) {
    throw new KernelError(
      'E_USAGE',
      '--approve decides no call of a tool on a server; decide there, with "ravi approvals ls" and "ravi approvals approve"',
    );
  }
  if (risk !== 'safe')
    warn(visible(`If ${name} needs approval, it waits until a person decides: see "ravi approvals ls"`));
}

async function suggesting<Answer>(client: Connection, name: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!hasCode(error, 'E_TOOL_UNKNOWN')) throw error;
    await refuseAbsent(client, name);
    const { items } = await client.tools.list();
    throw unknownTool(
      name,
      items.map((tool) => tool.name),
    );
  }
}

// A tool of a server may be away for now.
async function refuseAbsent(client: Connection, name: string): Promise<void> {
  const { items } = await client.sources.list();
  if (items.some(({ tools }) => tools.some((tool) => tool.name === name && tool.held !== undefined))) {
    const message = `"${name}" is held, because its definition is new or changed: see "ravi mcp accept ${name}"`;
    throw new KernelError('E_TOOL_ABSENT', message);
  }
  const away = items.find((source) => source.state !== 'ready' && name.startsWith(`${source.name}__`));
  if (away === undefined) return;
  const why = away.message === undefined ? '' : `: ${away.message}`;
  throw new KernelError('E_SOURCE_UNAVAILABLE', `There is no tool "${name}" now: ${away.name} is ${away.state}${why}`);
}

function unknownTool(name: string, names: readonly string[]): KernelError {
  const near = nearNames(name, names);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `the tools are ${names.join(', ') || 'none'}`;
  return new KernelError('E_TOOL_UNKNOWN', `There is no tool "${name}"; ${hint}`);
}
