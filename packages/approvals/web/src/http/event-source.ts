import type { Approval, ApprovalChange, Principal } from '@ravi/kernel';
import { changeView, viewOf } from '../view.ts';
import type { HttpServices } from './context.ts';

/** The events of one reader, taken one by one. */
export interface EventReader {
  /** The next event or sign of life as text of the format; `undefined` at the end. Never rejects. */
  next(): Promise<string | undefined>;
  /** Ends it; a `next` that waits comes back with the end. */
  end(): void;
}

/** Where a reader begins and until when it may read. */
export interface EventReaderOptions {
  /** The first event has a larger number. */
  readonly after: number;
  /** Whose approvals; absent means everybody's. */
  readonly principal: Principal | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number | undefined;
}

const batchLines = 100;

/** The changes of approvals from the audit log, read only as fast as `next` is called. */
export function openEventReader(options: EventReaderOptions, services: HttpServices): EventReader {
  const { store, feed, clock, logger, config } = services;
  const { principal, expiresAt = Infinity } = options;
  const mine = principal === undefined ? {} : { principal };
  let cursor = options.after;
  let lines: ApprovalChange[] = [];
  let isBehind = true;
  let isEnded = false;
  let wake = (): void => {};
  const listening = feed.listen((change) => {
    if (principal !== undefined && change.principal !== principal) return;
    isBehind = true;
    wake();
  });

  async function next(): Promise<string | undefined> {
    try {
      await listening.ready;
      while (!isEnded && clock.now() < expiresAt) {
        const line = lines.shift();
        if (line !== undefined) return await eventOf(line);
        if (isBehind) await readOn();
        else if (!(await somethingHappens())) return ': still here\n\n';
      }
    } catch (error) {
      // The reader comes back by itself and goes on where it was.
      logger.warn('a stream of approvals ended', { error });
    }
    return undefined;
  }

  async function readOn(): Promise<void> {
    isBehind = false;
    const { items } = await store.changes({ after: cursor, limit: batchLines, ...mine });
    lines = [...items];
    if (items.length > 0) isBehind = true;
  }

  async function eventOf(line: ApprovalChange): Promise<string> {
    cursor = line.sequence;
    const approval = await store.get(line.approvalId);
    return formatEvent(line, approval, clock.now());
  }

  /** `false` when nothing did for as long as a heartbeat. */
  async function somethingHappens(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    wake = () => resolve(true);
    const timer = clock.setTimer(() => resolve(false), config.heartbeatMs);
    try {
      return await promise;
    } finally {
      timer.cancel();
    }
  }

  return {
    next,
    end() {
      isEnded = true;
      wake();
      listening[Symbol.dispose]();
    },
  };
}

function formatEvent(line: ApprovalChange, approval: Approval | undefined, now: number): string {
  const view = approval === undefined ? {} : { approval: viewOf(approval, { now, isWhole: false }) };
  return `id: ${line.sequence}\nevent: approval\ndata: ${JSON.stringify({ change: changeView(line), ...view, now })}\n\n`;
}
