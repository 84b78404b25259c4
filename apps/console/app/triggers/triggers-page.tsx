import { useInfiniteQuery } from '@tanstack/react-query';
import { AlarmClock } from 'lucide-react';
import { printable } from '@ravi/approval-web/text';
import { Link, useSearchParams } from 'wouter';
import type { Trigger, TriggerStatus } from '@ravi/kernel';
import { triggersQuery } from '../api/queries.ts';
import { StatusBadge } from '../ui/badge.tsx';
import { MoreRows } from '../ui/data-table.tsx';
import { Moment } from '../ui/facts.tsx';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { nextTimeOf, titleOfTrigger, whenText } from './trigger-text.ts';

const filters: readonly { readonly status: TriggerStatus | ''; readonly name: string }[] = [
  { status: 'active', name: 'Active' },
  { status: 'ended', name: 'Ended' },
  { status: 'cancelled', name: 'Cancelled' },
  { status: '', name: 'All' },
];

const refreshMs = 5_000;

/** Timers, schedules and watched channels, newest first. */
export function TriggersPage() {
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('status') ?? 'active';
  const status = filters.find((filter) => filter.status === wanted)?.status ?? '';
  const query = useInfiniteQuery({ ...triggersQuery(status === '' ? {} : { status }), refetchInterval: refreshMs });
  return (
    <>
      <PageHeader title="Triggers" lead="Timers, schedules and watched channels that start runs." />
      <div className="segments" role="group" aria-label="Status">
        {filters.map((filter) => (
          <button
            key={filter.status}
            type="button"
            aria-pressed={status === filter.status}
            onClick={() => setSearch({ status: filter.status || 'all' }, { replace: true })}
          >
            {filter.name}
          </button>
        ))}
      </div>
      <Loaded query={query}>
        {({ pages }) => {
          const triggers = pages.flatMap(({ items }) => items);
          if (triggers.length === 0) {
            return (
              <EmptyState icon={AlarmClock} title={status === '' ? 'No trigger yet' : `No trigger is ${status}`}>
                Agents add them with the tools of @ravi/tools-triggers, and people with “ravi triggers add”.
              </EmptyState>
            );
          }
          return (
            <>
              <ul className="rows">
                {triggers.map((trigger) => (
                  <TriggerRow key={trigger.id} trigger={trigger} />
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

function TriggerRow({ trigger }: { readonly trigger: Trigger }) {
  const next = nextTimeOf(trigger);
  return (
    <li>
      <Link href={`/triggers/${encodeURIComponent(trigger.id)}`} className="row">
        <span className="row-main">
          <span className="row-title">{printable(titleOfTrigger(trigger))}</span>
          <span className="row-note">
            {printable(whenText(trigger.spec))} · {printable(trigger.agent)} · {printable(trigger.principal)}
          </span>
        </span>
        <span className="row-side">
          {next !== undefined && (
            <span className="muted">
              next <Moment at={next} />
            </span>
          )}
          <StatusBadge status={trigger.status} />
        </span>
      </Link>
    </li>
  );
}
