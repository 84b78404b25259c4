import { formatWait } from '@ravi/approval-web/text';
import { useServerTime } from '../api/server-clock.ts';

const urgentMs = 15_000;

/** Time until a request expires, by the server's clock. */
export function TimeLeft({ expiresAt }: { readonly expiresAt: number }) {
  const leftMs = expiresAt - useServerTime();
  return (
    <span className="time-left" data-urgent={leftMs < urgentMs}>
      {leftMs > 0 ? `${formatWait(leftMs)} left` : 'Time is over'}
    </span>
  );
}
