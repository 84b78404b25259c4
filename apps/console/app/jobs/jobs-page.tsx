import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Clock, X } from 'lucide-react';
import type { Job, JsonValue } from '@ravi/kernel';
import { Link } from 'wouter';
import { printable } from '@ravi/approval-web/text';
import { jobsQuery } from '../api/queries.ts';
import { ravi } from '../api/client.ts';
import { StatusBadge } from '../ui/badge.tsx';
import { IconButton } from '../ui/button.tsx';
import { DataTable, MoreRows } from '../ui/data-table.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { formatDuration, jsonLine } from '../ui/format.ts';
import { Moment } from '../ui/facts.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { useTell } from '../ui/toasts.tsx';

const refreshMs = 3_000;

const columns: readonly Column<Job>[] = [
  { name: 'Status', cell: (job) => <StatusBadge status={job.status} /> },
  {
    name: 'Work',
    cell: (job) => (
      <>
        <code>{printable(job.kind)}</code>
        {job.input !== undefined && <span className="cell-note">{jsonLine(job.input, 80)}</span>}
        {job.error !== undefined && <span className="cell-note">{printable(job.error.message)}</span>}
      </>
    ),
  },
  { name: 'Progress', cell: (job) => <Progress job={job} /> },
  { name: 'Schedule', isMinor: true, cell: (job) => scheduleOf(job) ?? 'once' },
  { name: 'Created', isMinor: true, cell: (job) => <Moment at={job.createdAt} /> },
  {
    name: 'Took',
    isMinor: true,
    isNumber: true,
    cell: (job) => (isLiveJob(job) ? '' : formatDuration(job.updatedAt - job.createdAt)),
  },
  {
    name: 'Run',
    isMinor: true,
    cell: ({ runId }) => runId !== undefined && <Link href={`/runs/${encodeURIComponent(runId)}`}>Open</Link>,
  },
  { name: 'Cancel', cell: (job) => isLiveJob(job) && <CancelJob job={job} /> },
];

/** Work in the background, once or on a schedule. */
export function JobsPage() {
  const query = useInfiniteQuery({ ...jobsQuery(), refetchInterval: refreshMs });
  return (
    <>
      <PageHeader title="Jobs and schedules" lead="Work that runs in the background." />
      <Loaded query={query}>
        {({ pages }) => {
          const jobs = pages.flatMap(({ items }) => items);
          if (jobs.length === 0) {
            return (
              <EmptyState icon={Clock} title="No job yet">
                Tools that run in the background, and calls that take long, become jobs.
              </EmptyState>
            );
          }
          return (
            <>
              <DataTable label="Jobs" columns={columns} rows={jobs} keyOf={({ id }) => id} />
              <MoreRows query={query} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Progress({ job }: { readonly job: Job }) {
  const fraction = fractionOf(job);
  if (fraction === undefined) return isLiveJob(job) ? <span className="muted">not known</span> : undefined;
  const percent = Math.round(100 * fraction);
  return (
    <span className="job-progress">
      <progress max={100} value={percent} aria-label={`Progress of ${job.kind}`} />
      <span className="number">{percent} %</span>
    </span>
  );
}

function CancelJob({ job }: { readonly job: Job }) {
  const client = useQueryClient();
  const tell = useTell();
  const cancel = useMutation({
    mutationFn: () => ravi.jobs.cancel(job.id),
    onError: (error) => tell(error.message),
    onSettled: () => client.invalidateQueries({ queryKey: ['jobs'] }),
  });
  return (
    <IconButton
      label={`Cancel ${job.kind}`}
      icon={X}
      aria-disabled={cancel.isPending}
      onClick={() => cancel.mutate()}
    />
  );
}

/** Returns true if a job may still change. */
function isLiveJob({ status }: Pick<Job, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/** Returns the completed share, 0 to 1, if the job reports it. */
function fractionOf({ status, progress }: Pick<Job, 'status' | 'progress'>): number | undefined {
  if (status === 'completed') return 1;
  const fraction = typeof progress === 'number' ? progress : fieldOf(progress, 'fraction');
  return typeof fraction === 'number' ? Math.min(1, Math.max(0, fraction)) : undefined;
}

/** Returns the schedule of a job as its input words it; `undefined` if it runs once. */
function scheduleOf({ input }: Pick<Job, 'input'>): string | undefined {
  const schedule = fieldOf(input, 'schedule');
  return typeof schedule === 'string' ? schedule : undefined;
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return (value as Readonly<Record<string, JsonValue>>)[name];
}
