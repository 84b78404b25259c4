import type { AgentSummary } from '@ravi/api';
import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { tableLines } from '../render/table.ts';
import { visible } from '../render/visible.ts';

/** Lists the agents of the server, and their settings without an effect. */
export const listAgents: CommandBody = async (invocation, terminal) => {
  await using client = await connect(invocation, terminal, { showsWarningsOf: 'agents' });
  const { items: agents } = await client.agents.list();
  if (invocation.isJson) return terminal.print(JSON.stringify({ agents }));
  for (const line of tableLines(agents.map(rowOf))) terminal.print(line);
  for (const { warnings } of agents) for (const warning of warnings) terminal.warn(visible(warning));
};

function rowOf({ name, isDefault, model, tools, delegates, description = '' }: AgentSummary): readonly string[] {
  const below = delegates.map(({ tool }) => tool).join(', ');
  return [
    visible(isDefault ? `${name} (default)` : name),
    visible(model),
    `${tools.length} tools`,
    visible(below === '' ? description : `delegates to ${below}${description === '' ? '' : `; ${description}`}`),
  ];
}
