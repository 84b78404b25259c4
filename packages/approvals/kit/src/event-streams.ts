import { KernelError } from '@ravi/kernel';
import type { Timer } from '@ravi/kernel';
import type { ApprovalServices } from './approval-desk.ts';
import type { Approver } from './approver.ts';
import { explainOutage } from './approval-desk.ts';
import { openEventReader } from './event-reader.ts';

/** Streams of the changes of approvals, as server-sent events whose ids are the sequence numbers of the audit log. */
export interface ApprovalEventStreams {
  /**
   * Opens a stream of the changes that the approver may see: those after `after`, or from now on.
   * @throws KernelError `E_STREAMS_EXHAUSTED` with `retryAfterMs`, `E_SHUTTING_DOWN`, `E_STATE_UNAVAILABLE`
   */
  open(request: EventStreamRequest): Promise<ReadableStream<Uint8Array>>;
  /** Ends every stream and opens no more. */
  close(): void;
}

/** A request for a stream. */
export interface EventStreamRequest {
  readonly approver: Approver;
  /** The limit per client counts streams with the same `clientId`. */
  readonly clientId: string;
  readonly after?: number;
  /** Milliseconds since the Unix epoch; the stream ends then. */
  readonly expiresAt?: number;
}

/** Limits of the event streams of a server. */
export interface EventStreamLimits {
  /** Streams open at the same time. */
  readonly maxStreams: number;
  /** Streams of one client open at the same time. */
  readonly maxStreamsPerClient: number;
  /** Silence after which a heartbeat is sent, in milliseconds. */
  readonly heartbeatMs: number;
}

// A client that reads nothing for this long is gone or stuck, and another client may need its place.
const stalledMs = 120_000;
const reconnectMs = 1_000;
const retryAfterMs = 10_000;

/** Creates the event streams of a server. */
export function createApprovalEventStreams(
  services: ApprovalServices,
  limits: EventStreamLimits,
): ApprovalEventStreams {
  const { store, clock, logger } = services;
  const closing = new AbortController();
  const open = new Map<string, number>();

  function reserve(clientId: string): void {
    if (closing.signal.aborted) throw new KernelError('E_SHUTTING_DOWN', 'The server is shutting down');
    const total = [...open.values()].reduce((sum, count) => sum + count, 0);
    const own = open.get(clientId) ?? 0;
    if (total >= limits.maxStreams || own >= limits.maxStreamsPerClient) {
      throw new KernelError('E_STREAMS_EXHAUSTED', 'Too many streams are open', { retryAfterMs });
    }
    open.set(clientId, own + 1);
  }

  function release(clientId: string): void {
    const left = (open.get(clientId) ?? 1) - 1;
    if (left > 0) open.set(clientId, left);
    else open.delete(clientId);
  }

  return {
    async open(request) {
      const { clientId } = request;
      reserve(clientId);
      try {
        const last = await explainOutage(logger, () => store.lastSequence());
        const { after = last } = request;
        return stream(request, { after: Math.min(after, last), isReset: after > last });
      } catch (error) {
        release(clientId);
        throw error;
      }
    },
    close: () => closing.abort(),
  };

  function stream(
    { approver, clientId, expiresAt }: EventStreamRequest,
    start: { readonly after: number; readonly isReset: boolean },
  ): ReadableStream<Uint8Array> {
    const { after, isReset } = start;
    const { heartbeatMs } = limits;
    const end = expiresAt === undefined ? {} : { expiresAt };
    const reader = openEventReader({ approver, after, heartbeatMs, ...end }, services);
    const encoder = new TextEncoder();
    let stalled: Timer | undefined;
    let isOpen = true;

    function close(): void {
      if (!isOpen) return;
      isOpen = false;
      stalled?.cancel();
      closing.signal.removeEventListener('abort', close);
      reader.end();
      release(clientId);
    }
    closing.signal.addEventListener('abort', close);
    if (closing.signal.aborted) close();

    return new ReadableStream<Uint8Array>({
      start(controller) {
        const reset = isReset ? 'event: reset\ndata: {}\n\n' : '';
        controller.enqueue(encoder.encode(`retry: ${reconnectMs}\n\n${reset}`));
        stalled = clock.setTimer(close, stalledMs, { isBackground: true });
      },
      async pull(controller) {
        stalled?.cancel();
        const text = isOpen ? await reader.next() : undefined;
        if (text === undefined) {
          close();
          return controller.close();
        }
        controller.enqueue(encoder.encode(text));
        stalled = clock.setTimer(close, stalledMs, { isBackground: true });
      },
      cancel: close,
    });
  }
}
