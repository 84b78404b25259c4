import { printable } from '@ravi/approval-web/text';
import type { RunDetails } from '@ravi/api';
import { isLive } from '../api/queries.ts';
import { Moment } from '../ui/facts.tsx';

/** Calls of a live run that wait for their results from outside. */
export function AwaitedResults({ run }: { readonly run: RunDetails }) {
  // A server of an earlier version has none.
  const { completions = [] } = run;
  if (!isLive(run) || completions.length === 0) return undefined;
  return (
    <section className="panel" aria-label="Results from outside">
      <h2>Waits for results from outside</h2>
      <ul>
        {completions.map(({ id, tool, requestedAt, expiresAt }) => (
          <li key={id}>
            <code>{printable(tool)}</code>{' '}
            <span className="muted">
              since <Moment at={requestedAt} />, until <Moment at={expiresAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
