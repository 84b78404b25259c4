import { useQuery } from '@tanstack/react-query';
import { GraduationCap } from 'lucide-react';
import { printable } from '@ravi/approval-web/text';
import type { SkillList, SkillSummary } from '@ravi/api';
import { skillsQuery } from '../api/queries.ts';
import { DataTable } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { WarningList } from '../ui/warning-list.tsx';

type AgentState = SkillSummary['agents'][number];

const kinds: Readonly<Record<SkillSummary['kind'], string>> = {
  skill: 'skill',
  kit: 'kit',
  'tool-skill': 'tool skill',
};

const sentences: Readonly<Record<AgentState['state'], string>> = {
  imposed: 'imposed on {agents}',
  offered: 'offered to {agents}',
  hidden: 'hidden from {agents}',
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
      {(list) => (
        <>
          <WarningList warnings={problemsOf(list)} />
          {list.items.length === 0 ? (
            <EmptyState icon={GraduationCap} title="The agent has no skills">
              Name a folder of skills in the configuration: <code>"skills": ["./skills"]</code>
            </EmptyState>
          ) : (
            <DataTable
              label="Skills"
              columns={columns}
              rows={list.items}
              keyOf={({ kind, name }) => `${kind} ${name}`}
            />
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
  return [...groupOf(agents)].map(([text, names]) => (
    <div key={text} className={text.startsWith('hidden') ? 'muted' : undefined}>
      {text.replace('{agents}', () => names.map(printable).join(', '))}
    </div>
  ));
}

/** Names of the agents by the sentence about them. */
function groupOf(agents: readonly AgentState[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { name, state, reason } of agents) {
    const sentence = sentences[state] + (reason === undefined ? '' : `: ${printable(reason)}`);
    groups.set(sentence, [...(groups.get(sentence) ?? []), name]);
  }
  return groups;
}

// Files that could not be loaded, and tools that do not exist.
function problemsOf({ items, failures = [] }: SkillList): readonly string[] {
  return [...failures.map(({ from, message }) => `${from}: ${message}`), ...items.flatMap(({ warnings }) => warnings)];
}
