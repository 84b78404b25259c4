import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { FolderMinus, FolderPlus } from 'lucide-react';
import { printable } from '@ravi/approval-web/text';
import type { WorkspaceSummary } from '@ravi/api';
import { useIsAdmin } from '../api/caller.ts';
import { ravi } from '../api/client.ts';
import { workspacesQuery } from '../api/sources.ts';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { ErrorText } from '../ui/error-notice.tsx';
import { formatCount } from '../ui/format.ts';
import { Loaded } from '../ui/loaded.tsx';
import { WarningList } from '../ui/warning-list.tsx';

const columns: readonly Column<WorkspaceSummary>[] = [
  { name: 'Workspace', cell: ({ name }) => <code>{name}</code> },
  { name: 'Folder', isMinor: true, cell: ({ path = '' }) => <code>{printable(path)}</code> },
  { name: 'Agents', cell: ({ agents }) => agents.join(', ') },
  { name: 'Tools', cell: ({ isLoaded, tools }) => (isLoaded ? formatCount(tools.length) : 'not loaded') },
  { name: 'Skills', isMinor: true, cell: ({ skills }) => skills.map(printable).join(', ') },
];
const change: Column<WorkspaceSummary> = { name: 'Change', cell: (workspace) => <Change {...workspace} /> };

/** List of the workspaces of the server, with their loading and unloading. Empty if the configuration has none. */
export function Workspaces() {
  const query = useQuery(workspacesQuery());
  const isAdmin = useIsAdmin();
  return (
    <Loaded query={query} placeholder={null}>
      {(workspaces) =>
        workspaces.length > 0 && (
          <>
            <h2 className="section-title">Workspaces</h2>
            <WarningList warnings={workspaces.flatMap(problemsOf)} />
            <DataTable
              label="Workspaces"
              columns={isAdmin ? [...columns, change] : columns}
              rows={workspaces}
              keyOf={({ name }) => name}
            />
          </>
        )
      }
    </Loaded>
  );
}

function problemsOf({ name, failures = [] }: WorkspaceSummary): readonly string[] {
  return failures.map(({ from, message }) => `${name}/${from}: ${message}`);
}

function Change({ name, isLoaded }: WorkspaceSummary) {
  const client = useQueryClient();
  const what = isLoaded ? 'Unload' : 'Load';
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => (isLoaded ? ravi.workspaces.unload(name) : ravi.workspaces.load(name)),
    // Agents, tools and skills change with it.
    onSettled: () => client.invalidateQueries(),
  });
  return (
    <>
      <Button
        icon={isLoaded ? FolderMinus : FolderPlus}
        isBusy={isPending}
        aria-label={`${what} ${name}`}
        onClick={() => mutate()}
      >
        {what}
      </Button>
      <ErrorText error={error} />
    </>
  );
}
