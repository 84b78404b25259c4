import { useQuery } from '@tanstack/react-query';
import { printable } from '@ravi/approval-web/text';
import type { AgentSummary } from '@ravi/api';
import { agentsQuery } from '../api/queries.ts';
import { DataTable } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { formatCount } from '../ui/format.ts';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { WarningList } from '../ui/warning-list.tsx';

const columns: readonly Column<AgentSummary>[] = [
  {
    name: 'Agent',
    cell: ({ name, isDefault }) => (
      <>
        <code>{name}</code>
        {isDefault && <span className="muted"> default</span>}
      </>
    ),
  },
  { name: 'What for', cell: ({ description = '' }) => printable(description) },
  { name: 'Model', cell: ({ model }) => <code>{printable(model)}</code> },
  { name: 'May call', cell: ({ tools }) => `${formatCount(tools.length)} tools` },
  { name: 'Delegates to', cell: ({ delegates }) => delegates.map(({ tool }) => tool).join(', ') },
  { name: 'Judged by', isMinor: true, cell: ({ guards }) => guards.map(({ agent }) => agent).join(', ') },
  { name: 'Skills', isMinor: true, cell: ({ skills }) => skills.map(printable).join(', ') },
  {
    name: 'Imposed skills',
    isMinor: true,
    cell: ({ imposedSkills }) => imposedSkills.map(printable).join(', '),
  },
  { name: 'Steps', isMinor: true, cell: ({ maxSteps }) => formatCount(maxSteps) },
];

/** Page of the agents of the configuration. */
export function AgentsPage() {
  const query = useQuery(agentsQuery());
  return (
    <>
      <PageHeader title="Agents" lead="Agents of this server, and the tools that each of them may call." />
      <Loaded query={query}>
        {(agents) => (
          <>
            <WarningList warnings={agents.flatMap(({ warnings }) => warnings)} />
            <DataTable label="Agents" columns={columns} rows={agents} keyOf={({ name }) => name} />
          </>
        )}
      </Loaded>
    </>
  );
}
