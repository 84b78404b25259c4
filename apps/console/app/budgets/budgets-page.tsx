import { Meter } from '@base-ui/react/meter';
import { useQuery } from '@tanstack/react-query';
import { Gauge } from 'lucide-react';
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
              Without one, only the limits of each run hold. Set <code>budget</code> in the configuration.
            </EmptyState>
          ) : (
            <ul className="budgets">
              {items.map((budget) => (
                <li key={budget.name} className="panel">
                  <BudgetMeter budget={budget} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

function BudgetMeter({ budget: { name, unit, limit, used } }: { readonly budget: Budget }) {
  const format = formats[unit];
  if (limit === undefined) {
    return (
      <div className="meter">
        <span className="meter-name">{name}</span>
        <span className="meter-used">{format(used)}</span>
        <span className="muted">no limit</span>
      </div>
    );
  }
  const share = limit === 0 ? 1 : used / limit;
  return (
    <Meter.Root
      className="meter"
      value={Math.min(used, limit)}
      max={limit}
      aria-valuetext={`${format(used)} of ${format(limit)}`}
    >
      <Meter.Label className="meter-name">{name}</Meter.Label>
      <span className="meter-used">{format(used)}</span>
      <span className="muted">
        of {format(limit)}, {Math.round(100 * share)} %
      </span>
      <Meter.Track className="meter-track">
        <Meter.Indicator
          className="meter-bar"
          data-tone={share >= 1 ? 'bad' : share >= nearlyFull ? 'warning' : 'good'}
        />
      </Meter.Track>
    </Meter.Root>
  );
}

const formats: Readonly<Record<Budget['unit'], (value: number) => string>> = {
  tokens: (value) => `${formatCount(value)} tokens`,
  cost: formatMoney,
  calls: (value) => `${formatCount(value)} ${value === 1 ? 'call' : 'calls'}`,
  milliseconds: formatDuration,
};
