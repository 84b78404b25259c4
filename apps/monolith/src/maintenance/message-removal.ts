import type { ChannelStore, Clock, Logger } from '@ravi/kernel';
import { repeat } from './repeat.ts';
import type { Repeated } from './repeat.ts';

/** Options of {@link startMessageRemoval}. */
export interface MessageRemovalOptions {
  readonly channels: Pick<ChannelStore, 'removeBefore'>;
  /** Older messages are removed. */
  readonly maxAgeDays: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Removes old messages of stored channels now and then every hour, until disposed. A failure is logged and tried again. */
export function startMessageRemoval({ channels, maxAgeDays, clock, logger }: MessageRemovalOptions): Repeated {
  async function work(): Promise<void> {
    const messages = await channels.removeBefore(clock.now() - maxAgeDays * dayMs);
    if (messages > 0) logger.info('old messages of channels removed', { messages });
  }

  const failure = 'old messages could not be removed';
  return repeat({ work, failure, intervalMs: hourMs, clock, logger });
}
