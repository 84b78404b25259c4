import { useQuery } from '@tanstack/react-query';
import { GraduationCap } from 'lucide-react';
import { printable } from '@ravi/approval-web/text';
import type { SkillSummary } from '@ravi/api';
import { skillsQuery } from '../api/queries.ts';
import { DataTable } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';

type AgentState = SkillSummary['agents'][number];

const kinds: Readonly<Record<SkillSummary['kind'], string>> = {
  skill: 'skill',
  kit: 'kit',
  'tool-skill': 'tool skill',
};

const columns: readonly Column<SkillSummary>[] = [
  { name: 'Skill', cell: ({ name }) => <code>{printable(name)}</code> },
  { name: 'Kind', cell: ({ kind }) => kinds[kind] },
  { name: 'What for', cell: ({ description }) => printable(description) },
  { name: 'Agents', cell: ({ agents }) => <Agents of={agents} /> },
  { name: 'Tools', isMinor: true, cell: (skill) => toolsOf(skill) },
  { name: 'Version', isMinor: true, cell: ({ version }) => version },
];

/** Skills, kits and tool skills, with the agents that see them and the reason of those that do not. */
export function Skills() {
  const query = useQuery(skillsQuery());
  return (
    <Loaded query={query}>
      {({ items, failures }) => (
        <>
          <Problems items={items} failures={failures ?? []} />
          {items.length === 0 ? (
            <EmptyState icon={GraduationCap} title="The agent has no skills">
              Name a folder of skills in the configuration: <code>"skills": ["./skills"]</code>
            </EmptyState>
          ) : (
            <DataTable label="Skills" columns={columns} rows={items} keyOf={({ kind, name }) => `${kind} ${name}`} />
          )}
        </>
      )}
    </Loaded>
  );
}

function toolsOf({ kind, allowedTools, needs = [] }: SkillSummary): string {
  if (kind === 'skill') return allowedTools === undefined ? 'every tool' : allowedTools.map(printable).join(', ');
  return needs.map(({ any, purpose }) => printable(purpose ?? any.join(' or '))).join(', ');
}

function Agents({ of: agents }: { readonly of: readonly AgentState[] }) {
  const named = (state: AgentState['state']): string =>
    agents
      .filter((agent) => agent.state === state)
      .map(({ name }) => printable(name))
      .join(', ');
  const imposed = named('imposed');
  const offered = named('offered');
  return (
    <>
      {imposed !== '' && <div>imposed on {imposed}</div>}
      {offered !== '' && <div>offered to {offered}</div>}
      {agents.map(
        ({ name, state, reason = '' }) =>
          state === 'hidden' && (
            <div key={name} className="muted">
              hidden from {printable(name)}: {printable(reason)}
            </div>
          ),
      )}
    </>
  );
}

// Files that could not be loaded, and tools that do not exist: usually typing mistakes.
function Problems({
  items,
  failures,
}: {
  readonly items: readonly SkillSummary[];
  readonly failures: readonly { readonly from: string; readonly message: string }[];
}) {
  const problems = [
    ...failures.map(({ from, message }) => `${from}: ${message}`),
    ...items.flatMap(({ warnings }) => warnings),
  ];
  if (problems.length === 0) return null;
  return (
    <ul className="notice" role="status">
      {problems.map((problem) => (
        <li key={problem}>{printable(problem)}</li>
      ))}
    </ul>
  );
}
