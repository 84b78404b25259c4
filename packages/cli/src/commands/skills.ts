import type { SkillSummary } from '@ravi/api';
import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { tableLines } from '../render/table.ts';
import { visible } from '../render/visible.ts';

/** Lists the skills, kits and tool skills of the server, the reasons why agents do not see them, and what could not be loaded. */
export const listSkills: CommandBody = async (invocation, terminal) => {
  await using client = await connect(invocation, terminal, { showsWarningsOf: 'skills' });
  const { items: skills, failures = [] } = await client.skills.list();
  if (invocation.isJson) return terminal.print(JSON.stringify({ skills, failures }));
  for (const line of tableLines(skills.flatMap(rowsOf))) terminal.print(line);
  for (const { from, message } of failures) terminal.warn(visible(`${from}: ${message}`));
  for (const { warnings } of skills) for (const warning of warnings) terminal.warn(visible(warning));
};

// One row for each state and reason.
function rowsOf({ name, kind, agents }: SkillSummary): readonly (readonly string[])[] {
  const groups = Map.groupBy(agents, ({ state, reason }) => `${state}${reason ?? ''}`);
  const states = Array.from(groups.values(), (group) => {
    const names = group.map((agent) => agent.name).join(', ');
    const { state, reason } = group[0] ?? { state: 'hidden' };
    return visible(`${state} ${prepositions[state]} ${names}${reason === undefined ? '' : `: ${reason}`}`);
  });
  const [first = '', ...others] = states;
  return [[visible(name), kind.replace('-', ' '), first], ...others.map((state) => ['', '', state])];
}

const prepositions = { imposed: 'on', offered: 'to', hidden: 'from' } as const;
