import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Brain, Search, Trash2 } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import type { Memory } from '@ravi/kernel';
import { printable } from '@ravi/approval-web/text';
import { ravi } from '../api/client.ts';
import { memoriesQuery } from '../api/queries.ts';
import { IconButton } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { DeleteDialog } from '../ui/delete-dialog.tsx';
import { Moment } from '../ui/facts.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';

const columns: readonly Column<Memory>[] = [
  {
    name: 'Memory',
    cell: ({ text, tags = [] }) => (
      <>
        <pre className="message-text">{printable(text)}</pre>
        {tags.length > 0 && <span className="cell-note">{printable(tags.join(', '))}</span>}
      </>
    ),
  },
  { name: 'Agent', cell: ({ agent = '' }) => printable(agent) },
  { name: 'Remembered', isMinor: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: 'Delete', cell: (memory) => <DeleteMemory memory={memory} /> },
];

/** Memories of agents about the caller: newest first, or the best matches of some words. */
export function MemoriesPage() {
  const [words, setWords] = useState('');
  const query = useQuery(memoriesQuery(useDeferredValue(words)));
  return (
    <>
      <PageHeader title="Memories" lead="What agents remember about you. No other caller sees it." />
      <div className="search">
        <Search aria-hidden size={18} />
        <input
          type="search"
          aria-label="Search memories"
          placeholder="Search by words"
          value={words}
          maxLength={2_000}
          onChange={({ target }) => setWords(target.value)}
        />
      </div>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={Brain} title={words === '' ? 'Nothing is remembered' : 'Nothing was found'}>
              Agents with the tool <code>remember</code> keep facts here for later runs.
            </EmptyState>
          ) : (
            <DataTable label="Memories" columns={columns} rows={items} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </>
  );
}

function DeleteMemory({ memory: { id, text } }: { readonly memory: Memory }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => ravi.memories.delete(id),
    onSettled: () => client.invalidateQueries({ queryKey: ['memories'] }),
  });
  const shown = printable(text.slice(0, 60));
  return (
    <DeleteDialog
      trigger={<IconButton label={`Delete the memory ${shown}`} icon={Trash2} />}
      title="Delete this memory?"
      remove={remove}
    >
      Agents no longer know “{shown}
      {text.length > 60 ? '…' : ''}”.
    </DeleteDialog>
  );
}
