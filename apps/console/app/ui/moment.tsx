import { formatMoment } from './format.ts';

/** A moment that machines can read too. */
export function Moment({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {formatMoment(at)}
    </time>
  );
}
