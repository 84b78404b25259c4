import { useQuery } from '@tanstack/react-query';
import { GraduationCap } from 'lucide-react';
import { printable } from '@ravi/approval-web/text';
import type { SkillSummary } from '@ravi/api';
import { skillsQuery } from '../api/queries.ts';
import { DataTable } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';

const columns: readonly Column<SkillSummary>[] = [
  { name: 'Skill', cell: ({ name }) => <code>{printable(name)}</code> },
  { name: 'What for', cell: ({ description }) => printable(description) },
  { name: 'May call', isMinor: true, cell: ({ allowedTools }) => allowedTools?.join(', ') ?? 'every tool' },
  { name: 'Version', isMinor: true, cell: ({ version }) => version },
];

/** Skills of the agent, with the tools that each one allows. */
export function Skills() {
  const query = useQuery(skillsQuery());
  return (
    <Loaded query={query}>
      {(skills) =>
        skills.length === 0 ? (
          <EmptyState icon={GraduationCap} title="The agent has no skills">
            Name a folder of skills in the configuration: <code>"skills": ["./skills"]</code>
          </EmptyState>
        ) : (
          <DataTable label="Skills" columns={columns} rows={skills} keyOf={({ name }) => name} />
        )
      }
    </Loaded>
  );
}
