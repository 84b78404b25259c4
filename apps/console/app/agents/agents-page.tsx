import { useQuery } from '@tanstack/react-query';
import { printable } from '@ravi/approval-web/text';
import type { AgentSummary } from '@ravi/api';
import { agentsQuery } from '../api/queries.ts';
import { DataTable } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { formatCount } from '../ui/format.ts';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';

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
            <Warnings of={agents} />
            <DataTable label="Agents" columns={columns} rows={agents} keyOf={({ name }) => name} />
          </>
        )}
      </Loaded>
    </>
  );
}

// A pattern that matches nothing is usually a typing mistake.
function Warnings({ of: agents }: { readonly of: readonly AgentSummary[] }) {
  const warnings = agents.flatMap((agent) => agent.warnings);
  if (warnings.length === 0) return null;
  return (
    <ul className="notice" role="status">
      {warnings.map((warning) => (
        <li key={warning}>{printable(warning)}</li>
      ))}
    </ul>
  );
}
