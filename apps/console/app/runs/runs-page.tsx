import { useInfiniteQuery } from '@tanstack/react-query';
import { ListTree } from 'lucide-react';
import { Link, useSearchParams } from 'wouter';
import { shownStatusOf } from '@ravi/kernel';
import type { RunStatus, Run } from '@ravi/kernel';
import { runsQuery, isLive } from '../api/queries.ts';
import { StatusBadge } from '../ui/badge.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { formatDuration } from '../ui/format.ts';
import { Moment } from '../ui/facts.tsx';
import { MoreRows } from '../ui/data-table.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { NewRun } from './new-run.tsx';
import { kindName, titleOf } from './run-summary.tsx';

const filters: readonly { readonly status: RunStatus | ''; readonly name: string }[] = [
  { status: '', name: 'All' },
  { status: 'running', name: 'Running' },
  { status: 'paused', name: 'Paused' },
  { status: 'blocked', name: 'Blocked' },
  { status: 'completed', name: 'Completed' },
  { status: 'failed', name: 'Failed' },
  { status: 'cancelled', name: 'Cancelled' },
];

const refreshMs = 3_000;

/** Every run, newest first. */
export function RunsPage() {
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('status') ?? '';
  const status = filters.find((filter) => filter.status === wanted)?.status ?? '';
  const query = useInfiniteQuery({
    ...runsQuery(status === '' ? {} : { status }),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isLive)) ? refreshMs : refreshMs * 4,
  });
  return (
    <>
      <PageHeader title="Runs" lead="Agent and script runs, finished and active.">
        <NewRun />
      </PageHeader>
      <div className="segments" role="group" aria-label="Status">
        {filters.map((filter) => (
          <button
            key={filter.status}
            type="button"
            aria-pressed={status === filter.status}
            onClick={() => setSearch(filter.status === '' ? {} : { status: filter.status }, { replace: true })}
          >
            {filter.name}
          </button>
        ))}
      </div>
      <Loaded query={query}>
        {({ pages }) => {
          const runs = pages.flatMap(({ items }) => items);
          if (runs.length === 0) {
            return (
              <EmptyState icon={ListTree} title={status === '' ? 'No run yet' : `No run is ${status}`}>
                Start one with “New run”: give a task to the agent, or a script to the sandbox.
              </EmptyState>
            );
          }
          return (
            <>
              <ul className="rows">
                {runs.map((run) => (
                  <RunRow key={run.id} run={run} />
                ))}
              </ul>
              <MoreRows query={query} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function RunRow({ run }: { readonly run: Run }) {
  return (
    <li>
      <Link href={`/runs/${encodeURIComponent(run.id)}`} className="row">
        <span className="row-main">
          <span className="row-title">{titleOf(run)}</span>
          <span className="row-note">
            {kindName(run)} · {run.principal} · <Moment at={run.createdAt} />
          </span>
        </span>
        <span className="row-side">
          <span className="muted number">{isLive(run) ? '' : formatDuration(run.updatedAt - run.createdAt)}</span>
          <StatusBadge status={shownStatusOf(run)} />
        </span>
      </Link>
    </li>
  );
}
