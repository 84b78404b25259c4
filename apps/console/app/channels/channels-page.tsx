import { useQuery } from '@tanstack/react-query';
import { Radio } from 'lucide-react';
import type { ChannelEntry } from '@ravi/kernel';
import { Link } from 'wouter';
import { printable } from '@ravi/approval-web/text';
import { channelsQuery } from '../api/queries.ts';
import { DataTable } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Moment } from '../ui/facts.tsx';
import { formatCount } from '../ui/format.ts';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';

const refreshMs = 3_000;

const columns: readonly Column<ChannelEntry>[] = [
  {
    name: 'Channel',
    cell: ({ channel }) => <Link href={`/channels/${encodeURIComponent(channel)}`}>{printable(channel)}</Link>,
  },
  { name: 'Readers', cell: ({ isShared }) => (isShared ? 'all callers' : 'you and your agents') },
  { name: 'Messages', isNumber: true, cell: ({ messages }) => formatCount(messages) },
  { name: 'Newest', isMinor: true, cell: ({ lastAt }) => <Moment at={lastAt} /> },
];

/** List of the stored channels of the caller, and of the shared ones. */
export function ChannelsPage() {
  const query = useQuery({ ...channelsQuery(), refetchInterval: refreshMs });
  return (
    <>
      <PageHeader title="Channels" lead="Stored messages between agents, people and programs." />
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={Radio} title="No channel yet">
              The first message creates one: from an agent with <code>send_message</code>, or with{' '}
              <code>ravi channels send</code>.
            </EmptyState>
          ) : (
            <DataTable label="Channels" columns={columns} rows={items} keyOf={({ channel }) => channel} />
          )
        }
      </Loaded>
    </>
  );
}
