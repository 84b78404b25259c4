import type { ReactNode } from 'react';
import { formatMoment } from '@ravi/approval-web/text';

/** List of names and values; `undefined` values are left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="facts">
      {Object.entries(facts)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A number with its meaning. */
export interface Figure {
  readonly name: string;
  /** Formatted for people. */
  readonly value: string;
  /** Shown in small type below the number. */
  readonly note: string;
}

/** Row of large numbers; on narrow screens it takes several lines. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl className="figures">
      {figures.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd className="figure-note">{note}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A time, readable for people and machines. */
export function Moment({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {formatMoment(at)}
    </time>
  );
}
