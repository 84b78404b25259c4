import { useInfiniteQuery } from '@tanstack/react-query';
import { Server } from 'lucide-react';
import { printable } from '@ravi/approval-web/text';
import type { ProcessRecord } from '@ravi/kernel';
import { processesQuery } from '../api/queries.ts';
import { StatusBadge } from '../ui/badge.tsx';
import { DataTable, MoreRows } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Moment } from '../ui/facts.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';

const refreshMs = 3_000;

const columns: readonly Column<ProcessRecord>[] = [
  { name: 'Status', cell: ({ isAlive }) => <StatusBadge status={isAlive ? 'alive' : 'dead'} /> },
  {
    name: 'Process',
    cell: ({ id, address }) => (
      <>
        {address === undefined ? 'does not listen' : <code>{printable(address)}</code>}
        <span className="cell-note">{printable(id)}</span>
      </>
    ),
  },
  { name: 'Version', isMinor: true, cell: ({ version = '' }) => printable(version) },
  { name: 'Last heartbeat', cell: ({ heartbeatAt }) => <Moment at={heartbeatAt} /> },
];

/** List of the processes that share the state store, alive and dead. */
export function Processes() {
  const query = useInfiniteQuery({ ...processesQuery(), refetchInterval: refreshMs });
  return (
    <>
      <h2 className="section-title">Processes</h2>
      <Loaded query={query} needsCurrent>
        {({ pages }) => {
          const processes = pages.flatMap(({ items }) => items);
          if (processes.length === 0) {
            return (
              <EmptyState icon={Server} title="No process yet">
                A process is listed when it listens or executes its first run.
              </EmptyState>
            );
          }
          return (
            <>
              <DataTable label="Processes" columns={columns} rows={processes} keyOf={({ id }) => id} />
              <MoreRows query={query} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}
