import type { SkillSummary } from '@ravi/api';
import { connect } from '../connection/connect.ts';
import type { CommandBody } from '../command.ts';
import { tableLines } from '../render/table.ts';
import { visible } from '../render/visible.ts';

/** Lists the skills, kits and tool skills of the server, the reasons why agents do not see them, and what could not be loaded. */
export const listSkills: CommandBody = async (invocation, terminal) => {
  await using client = await connect(invocation, terminal);
  const { items: skills, failures = [] } = await client.skills.list();
  if (invocation.isJson) return terminal.print(JSON.stringify({ skills, failures }));
  for (const line of tableLines(skills.flatMap(rowsOf))) terminal.print(line);
  for (const { from, message } of failures) terminal.warn(visible(`${from}: ${message}`));
  for (const { warnings } of skills) for (const warning of warnings) terminal.warn(visible(warning));
};

// One row for each state, and one for each reason.
function rowsOf({ name, kind, agents }: SkillSummary): readonly (readonly string[])[] {
  const named = (state: string): string =>
    agents
      .filter((agent) => agent.state === state)
      .map((agent) => agent.name)
      .join(', ');
  const states = [
    ...(named('imposed') === '' ? [] : [`imposed on ${named('imposed')}`]),
    ...(named('offered') === '' ? [] : [`offered to ${named('offered')}`]),
    ...agents.flatMap((agent) =>
      agent.state === 'hidden' ? [`hidden from ${agent.name}: ${agent.reason ?? ''}`] : [],
    ),
  ];
  const [first = '', ...others] = states.map(visible);
  return [[visible(name), kind.replace('-', ' '), first], ...others.map((state) => ['', '', state])];
}
