import type { TriggerConfig } from '@ravi/host';
import type { Clock, Logger, NewFiring, Trigger, TriggerFiring, TriggerStore } from '@ravi/kernel';
import type { TriggerChannels } from './channel-messages.ts';
import { planDueTimes } from './due-times.ts';
import { runIdOfFiring } from './firing-id.ts';
import { inputAtTime, inputWithMessages } from './firing-input.ts';

/** Options of {@link createClaims}. */
export interface ClaimOptions {
  readonly store: TriggerStore;
  readonly channels: Pick<TriggerChannels, 'read'>;
  readonly limits: () => TriggerConfig;
  /** Milliseconds after which another server starts the run of a firing that is still pending. */
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Claims of due times and of messages. Each returns the firings that this process has to start; none if another process was faster. */
export interface Claims {
  ofTimes(trigger: Trigger): Promise<readonly TriggerFiring[]>;
  ofMessages(trigger: Trigger): Promise<readonly TriggerFiring[]>;
}

/** Messages that one run receives. */
const maxMessages = 50;

/** Creates the claims of a process over the store. */
export function createClaims({ store, channels, limits, leaseMs, clock, logger }: ClaimOptions): Claims {
  async function claim(
    trigger: Trigger,
    firings: readonly Omit<NewFiring, 'runId'>[],
    next: { readonly nextDueAt?: number; readonly position?: number; readonly skipped?: number },
  ): Promise<readonly TriggerFiring[]> {
    const { id: triggerId, version, missed, lastFiredAt, position } = trigger;
    const now = clock.now();
    const { skipped = 0, ...further } = next;
    const stored = firings.map((firing) => ({ ...firing, runId: runIdOfFiring({ triggerId, slot: firing.slot }) }));
    const isMine = await store.claim(triggerId, {
      version,
      firings: stored,
      next: {
        ...(position === undefined ? {} : { position }),
        ...(stored.length > 0 ? { lastFiredAt: now } : lastFiredAt === undefined ? {} : { lastFiredAt }),
        ...further,
        missed: missed + skipped,
      },
      now,
      retryAt: now + leaseMs,
    });
    if (!isMine) return [];
    if (skipped > 0) logger.warn('a trigger missed due times', { triggerId, skipped, misfire: trigger.misfire });
    return stored.map((firing) => ({ ...firing, triggerId, status: 'pending', createdAt: now }));
  }

  return {
    async ofTimes(trigger) {
      const { fires, skipped, nextDueAt } = planDueTimes(trigger, clock.now(), limits());
      const firings = fires.map((dueAt, index) => ({
        slot: dueAt,
        dueAt,
        input: inputAtTime(trigger, dueAt, index === fires.length - 1 ? skipped : 0),
      }));
      return claim(trigger, firings, { ...(nextDueAt === undefined ? {} : { nextDueAt }), skipped });
    },
    async ofMessages(trigger) {
      const { spec, principal, position = 0 } = trigger;
      if (spec.kind !== 'channel') return [];
      const { channel } = spec;
      const waiting = await channels.read(principal, channel, { after: position, limit: maxMessages });
      const last = waiting.at(-1)?.number;
      if (last === undefined) return [];
      const now = clock.now();
      // An agent that answers in the channel must not wake itself.
      const messages = waiting.filter(({ from, principal: author }) => from !== trigger.agent || author !== principal);
      if (messages.length === 0) return claim(trigger, [], { nextDueAt: now, position: last });
      const firing = { slot: last, dueAt: now, input: inputWithMessages(trigger, channel, messages) };
      return claim(trigger, [firing], { nextDueAt: now + limits().minIntervalMs, position: last });
    },
  };
}
