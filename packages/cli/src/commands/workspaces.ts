import type { WorkspaceSummary } from '@ravi/api';
import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import type { ExitCode } from '../exit-code.ts';
import { tableLines } from '../render/table.ts';
import { visible } from '../render/visible.ts';
import type { Terminal } from '../terminal.ts';

/** Lists the workspaces of the server, and their files that could not be loaded. */
export const listWorkspaces: CommandBody = async (invocation, terminal) => {
  await using client = await connect(invocation, terminal);
  const { items: workspaces } = await client.workspaces.list();
  if (invocation.isJson) return terminal.print(JSON.stringify({ workspaces }));
  for (const line of tableLines(workspaces.map(rowOf))) terminal.print(line);
  for (const workspace of workspaces) warnOf(workspace, terminal);
};

/** Loads the tools and skills of a workspace. Exit code 1 if some of its files are broken. */
export const loadWorkspace: CommandBody = change('load');

/** Removes the tools and skills of a workspace. */
export const unloadWorkspace: CommandBody = change('unload');

function change(what: 'load' | 'unload'): CommandBody {
  return async (invocation, terminal) => {
    await using client = await connect(invocation, terminal);
    const { name = '' } = invocation.values;
    const workspace = await client.workspaces[what](name);
    if (invocation.isJson) terminal.print(JSON.stringify(workspace));
    else for (const line of tableLines([rowOf(workspace)])) terminal.print(line);
    return warnOf(workspace, terminal);
  };
}

function rowOf({ name, isLoaded, agents, tools, skills, path = '' }: WorkspaceSummary): readonly string[] {
  const content = isLoaded ? `${tools.length} tools, ${skills.length} skills` : 'not loaded';
  return [visible(name), visible(path), content, visible(agents.length === 0 ? '' : `agents ${agents.join(', ')}`)];
}

function warnOf({ name, failures = [] }: WorkspaceSummary, { warn }: Terminal): ExitCode {
  for (const { from, message } of failures) warn(visible(`${name}/${from}: ${message}`));
  return failures.length === 0 ? exitCode.ok : exitCode.failed;
}
