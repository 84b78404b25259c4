import { completionPrefix } from '@ravi/kernel';
import type { Approval, ApprovalChange } from '@ravi/kernel';
import type { ApprovalServices } from './approval-desk.ts';
import { changeView, viewOf } from './approval-views.ts';
import { visibleTo } from './approver.ts';
import type { Approver } from './approver.ts';

/** Reads the events of one stream, one by one. */
export interface EventReader {
  /** Returns the next event or heartbeat in the event stream format; `undefined` at the end. Never rejects. */
  next(): Promise<string | undefined>;
  /** Ends the reader and a pending `next`. */
  end(): void;
}

/** Options of {@link openEventReader}. */
export interface EventReaderOptions {
  readonly approver: Approver;
  /** Events with a larger sequence number are read. */
  readonly after: number;
  /** Milliseconds since the Unix epoch; the reader ends then. */
  readonly expiresAt?: number;
  readonly heartbeatMs: number;
}

const batchLines = 100;

/** Opens a reader of the audit log. It reads only as fast as `next` is called. */
export function openEventReader(options: EventReaderOptions, services: ApprovalServices): EventReader {
  const { store, feed, clock, logger } = services;
  const { approver, expiresAt = Infinity, heartbeatMs } = options;
  const visible = visibleTo(approver);
  let cursor = options.after;
  let lines: ApprovalChange[] = [];
  let isBehind = true;
  let isEnded = false;
  let wake = (): void => {};
  const subscription = feed.subscribe((change) => {
    if (visible.principal !== undefined && change.principal !== visible.principal) return;
    isBehind = true;
    wake();
  });

  async function next(): Promise<string | undefined> {
    try {
      await subscription.ready;
      while (!isEnded && clock.now() < expiresAt) {
        const line = lines.shift();
        if (line !== undefined) {
          if (!line.approvalId.startsWith(completionPrefix)) return await eventOf(line);
          cursor = line.sequence;
        } else if (isBehind) await readLines();
        else if (!(await isWokenInTime())) return ': still here\n\n';
      }
    } catch (error) {
      // The client reconnects and continues after its last event.
      logger.warn('a stream of approvals failed; the client reconnects', { error });
    }
    return undefined;
  }

  async function readLines(): Promise<void> {
    isBehind = false;
    const { items } = await store.changes({ after: cursor, limit: batchLines, ...visible });
    lines = [...items];
    if (items.length > 0) isBehind = true;
  }

  async function eventOf(line: ApprovalChange): Promise<string> {
    cursor = line.sequence;
    const approval = await store.get(line.approvalId);
    return formatEvent(line, approval, clock.now());
  }

  /** Returns false if no change came for the duration of a heartbeat. */
  async function isWokenInTime(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    wake = () => resolve(true);
    const timer = clock.setTimer(() => resolve(false), heartbeatMs, { isBackground: true });
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
      subscription.unsubscribe();
    },
  };
}

function formatEvent(line: ApprovalChange, approval: Approval | undefined, now: number): string {
  const view = approval === undefined ? {} : { approval: viewOf(approval, { now, isWhole: false }) };
  return `id: ${line.sequence}\nevent: approval\ndata: ${JSON.stringify({ change: changeView(line), ...view, now })}\n\n`;
}
