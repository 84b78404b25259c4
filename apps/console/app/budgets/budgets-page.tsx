import { Meter } from '@base-ui/react/meter';
import { useQuery } from '@tanstack/react-query';
import { Gauge } from 'lucide-react';
import { printable } from '@ravi/approval-web/text';
import type { Budget } from '@ravi/api';
import { budgetsQuery } from '../api/queries.ts';
import { EmptyState, Loaded } from '../ui/loaded.tsx';
import { formatCount, formatDuration, formatMoney } from '../ui/format.ts';
import { PageHeader } from '../ui/page-header.tsx';

const refreshMs = 5_000;
const nearlyFull = 0.8;

/** Page of the budgets and their usage. */
export function BudgetsPage() {
  const query = useQuery({ ...budgetsQuery(), refetchInterval: refreshMs });
  return (
    <>
      <PageHeader title="Budgets" lead="Limits on tokens, money, calls and time, and their usage." />
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={Gauge} title="No budget is set">
              Without one, only the limits of each run hold. Set <code>budgets</code> in the configuration.
            </EmptyState>
          ) : (
            <>
              <BudgetList title="Limits of the day" budgets={items.filter(isOfDay)} />
              <BudgetList title="Runs and usage" budgets={items.filter((budget) => !isOfDay(budget))} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function isOfDay({ resetsAt }: Budget): boolean {
  return resetsAt !== undefined;
}

function BudgetList({ title, budgets }: { readonly title: string; readonly budgets: readonly Budget[] }) {
  const [first] = budgets;
  if (first === undefined) return null;
  return (
    <section aria-label={title}>
      <h2 className="section-title">{title}</h2>
      {first.resetsAt !== undefined && (
        <p className="budgets-reset">
          They reset at <time dateTime={first.resetsAt}>{formatReset(first.resetsAt)}</time>.
        </p>
      )}
      <ul className="budgets">
        {budgets.map((budget) => (
          <li key={budget.name} className="panel">
            <BudgetMeter budget={budget} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function BudgetMeter({ budget: { name, unit, limit, used, reserved = 0 } }: { readonly budget: Budget }) {
  const format = formats[unit];
  if (limit === undefined) {
    return (
      <div className="meter">
        <span className="meter-name">{printable(name)}</span>
        <span className="meter-used">{format(used)}</span>
        <span className="muted">no limit</span>
      </div>
    );
  }
  const shareOf = (amount: number): number => (limit === 0 ? 1 : amount / limit);
  const share = shareOf(used + reserved);
  const waiting = reserved > 0 ? `, ${format(reserved)} reserved` : '';
  return (
    <Meter.Root
      className="meter"
      value={Math.min(used, limit)}
      max={limit}
      aria-valuetext={`${format(used)} of ${format(limit)}${waiting}`}
    >
      <Meter.Label className="meter-name">{printable(name)}</Meter.Label>
      <span className="meter-used">{format(used)}</span>
      <span className="muted">
        of {format(limit)}, {Math.round(100 * shareOf(used))} %
      </span>
      <Meter.Track className="meter-track">
        <Meter.Indicator
          className="meter-bar"
          data-tone={share >= 1 ? 'bad' : share >= nearlyFull ? 'warning' : 'good'}
        />
        {reserved > 0 && (
          <span
            className="meter-reserved"
            style={{ width: `${100 * Math.min(shareOf(reserved), 1 - Math.min(shareOf(used), 1))}%` }}
          />
        )}
      </Meter.Track>
      {reserved > 0 && <span className="meter-note">{format(reserved)} reserved for requests in progress</span>}
    </Meter.Root>
  );
}

/** Formats the end of a day in UTC: `00:00 UTC, in 5 h 12 min`. */
function formatReset(resetsAt: string): string {
  const left = Math.max(0, Date.parse(resetsAt) - Date.now());
  return `${resetsAt.slice(11, 16)} UTC, in ${formatDuration(left)}`;
}

const formats: Readonly<Record<Budget['unit'], (value: number) => string>> = {
  tokens: (value) => `${formatCount(value)} tokens`,
  cost: formatMoney,
  calls: (value) => `${formatCount(value)} ${value === 1 ? 'call' : 'calls'}`,
  milliseconds: formatDuration,
};
