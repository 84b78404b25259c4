import type { ApprovalView } from '@ravi/api';
import { outcomeOf, printable, timeLeftOf } from '@ravi/approval-web/text';
import { isUndecided } from '@ravi/kernel';
import { Link } from 'wouter';
import { useServerTime } from '../api/server-clock.ts';
import { Facts, Moment } from '../ui/facts.tsx';

const urgentMs = 15_000;

/** Time until a request expires, or since it is parked, by the server's clock; its outcome if it has ended. */
export function TimeLeft({ approval }: { readonly approval: ApprovalView }) {
  const now = useServerTime();
  if (!isUndecided(approval)) return <span className="time-left">{outcomeOf(approval)}</span>;
  return (
    <span className="time-left" data-urgent={approval.expiresAt - now < urgentMs}>
      {timeLeftOf(approval, now)}
    </span>
  );
}

/** For whom the call of a request runs, in which run, and since when it waits. */
export function RequestFacts({ approval }: { readonly approval: ApprovalView }) {
  const { principal, agent, runId, requestedAt } = approval;
  return (
    <Facts
      facts={{
        For: printable(principal),
        ...(agent === undefined ? {} : { Agent: printable(agent) }),
        Run: <Link href={`/runs/${encodeURIComponent(runId)}`}>{runId.slice(0, 12)}</Link>,
        Asked: <Moment at={requestedAt} />,
      }}
    />
  );
}
