import { formatMoment } from '@ravi/approval-web/text';

/** A moment that machines can read too. */
export function Moment({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {formatMoment(at)}
    </time>
  );
}
