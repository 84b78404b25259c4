import { useQuery } from '@tanstack/react-query';
import { Hourglass } from 'lucide-react';
import { printable } from '@ravi/approval-web/text';
import type { Queue } from '@ravi/api';
import { queueQuery } from '../api/queries.ts';
import { DataTable } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Figures } from '../ui/facts.tsx';
import type { Figure } from '../ui/facts.tsx';
import { formatCount, formatDuration } from '../ui/format.ts';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Processes } from './processes.tsx';

const refreshMs = 3_000;

const columns: readonly Column<Queue['principals'][number]>[] = [
  { name: 'Principal', cell: ({ principal }) => printable(principal) },
  { name: 'Waiting', isNumber: true, cell: ({ ready }) => formatCount(ready) },
  { name: 'Taken', isNumber: true, cell: ({ taken }) => formatCount(taken) },
];

/** Page of the runs that wait for a server, for admins. */
export function QueuePage() {
  const query = useQuery({ ...queueQuery(), refetchInterval: refreshMs });
  return (
    <>
      <PageHeader title="Queue" lead="Runs that wait for a server, and the processes that execute runs." />
      <Loaded query={query} needsCurrent>
        {(queue) => <QueueContent queue={queue} />}
      </Loaded>
      <Processes />
    </>
  );
}

function QueueContent({ queue }: { readonly queue: Queue }) {
  const { engine, isShared, runs, principals, server } = queue;
  return (
    <>
      <Figures figures={[...figuresOf(runs), ...loadOf(server)]} />
      <p className="muted">
        The run engine is <code>{printable(engine)}</code>.{' '}
        {isShared ? 'It counts the runs of all servers.' : 'Each server counts its own runs.'}
      </p>
      <h2 className="section-title">Principals</h2>
      {principals.length === 0 ? (
        <EmptyState icon={Hourglass} title="No run waits">
          A new run waits while all slots of a server are taken (<code>runs.slots</code>).
        </EmptyState>
      ) : (
        <DataTable label="Principals" columns={columns} rows={principals} keyOf={({ principal }) => principal} />
      )}
    </>
  );
}

function figuresOf({ ready, delayed, taken, dead, oldestReadyMs }: Queue['runs']): readonly Figure[] {
  const oldest = oldestReadyMs === undefined ? 'for a free slot' : `the oldest for ${formatDuration(oldestReadyMs)}`;
  return [
    { name: 'Waiting', value: formatCount(ready), note: oldest },
    { name: 'Later', value: formatCount(delayed), note: 'not due yet' },
    { name: 'Taken', value: formatCount(taken), note: 'handed to servers' },
    { name: 'Given up', value: formatCount(dead), note: 'become blocked' },
  ];
}

function loadOf({ slots, executing }: Queue['server']): readonly Figure[] {
  return (['agents', 'scripts'] as const).map((kind) => ({
    name: kind === 'agents' ? 'Agents here' : 'Scripts here',
    value: formatCount(executing[kind]),
    note: `${formatCount(slots[kind])} ${slots[kind] === 1 ? 'slot' : 'slots'} on this server`,
  }));
}
