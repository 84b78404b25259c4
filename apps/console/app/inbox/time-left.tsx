import type { ApprovalView } from '@ravi/api';
import { outcomeOf, timeLeftOf } from '@ravi/approval-web/text';
import { isUndecided } from '@ravi/kernel';
import { useServerTime } from '../api/server-clock.ts';

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
