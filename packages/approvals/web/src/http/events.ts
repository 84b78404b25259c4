import type { Timer } from '@ravi/kernel';
import { safeHeaders } from './answer.ts';
import type { Access, HttpServices } from './context.ts';
import { openEventReader } from './event-source.ts';
import { problem } from './problem.ts';

/** `GET /v1/approvals/events`. */
export type EventStreams = (request: Request, access: Access) => Promise<Response>;

// A reader that takes nothing for so long is gone or stuck, and others may want its place.
const stalledMs = 120_000;
const retryMs = 1_000;

/** Streams of the changes that an approver may see, as server-sent events with the numbers of the audit log as ids. */
export function createEventStreams(services: HttpServices): EventStreams {
  const { store, clock, config, lifetime } = services;
  const open = new Map<string, number>();

  function reserve({ approver }: Access): void {
    if (lifetime.aborted) throw problem('E_SHUTTING_DOWN', 'The server is shutting down');
    const total = [...open.values()].reduce((sum, count) => sum + count, 0);
    const own = open.get(approver.id) ?? 0;
    if (total >= config.maxStreams || own >= config.maxStreamsPerToken) {
      throw problem('E_STREAMS_EXHAUSTED', 'Too many streams are open', { retryAfterMs: 10_000 });
    }
    open.set(approver.id, own + 1);
  }

  function release({ approver }: Access): void {
    open.set(approver.id, (open.get(approver.id) ?? 1) - 1);
  }

  return async (request, access) => {
    reserve(access);
    try {
      const last = await store.lastSequence();
      const after = startOf(request) ?? last;
      const body = stream(access, { after: Math.min(after, last), isReset: after > last });
      return new Response(body, {
        headers: { ...safeHeaders, 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
      });
    } catch (error) {
      release(access);
      throw error;
    }
  };

  function stream(access: Access, start: { readonly after: number; readonly isReset: boolean }): ReadableStream {
    const { approver, expiresAt } = access;
    const principal = approver.roles.includes('approve') ? undefined : approver.principal;
    const reader = openEventReader({ after: start.after, principal, expiresAt }, services);
    const encoder = new TextEncoder();
    let stalled: Timer | undefined;
    let isOpen = true;

    function end(): void {
      if (!isOpen) return;
      isOpen = false;
      stalled?.cancel();
      lifetime.removeEventListener('abort', end);
      reader.end();
      release(access);
    }
    lifetime.addEventListener('abort', end);

    return new ReadableStream<Uint8Array>({
      start(controller) {
        const reset = start.isReset ? 'event: reset\ndata: {}\n\n' : '';
        controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n${reset}`));
        stalled = clock.setTimer(end, stalledMs);
      },
      async pull(controller) {
        stalled?.cancel();
        const text = isOpen ? await reader.next() : undefined;
        if (text === undefined) {
          end();
          return controller.close();
        }
        controller.enqueue(encoder.encode(text));
        stalled = clock.setTimer(end, stalledMs);
      },
      cancel: end,
    });
  }
}

/** The number after which the stream goes on: of the last event that a browser has seen, else of the query. */
function startOf({ headers, url }: Request): number | undefined {
  const given = headers.get('last-event-id') ?? new URL(url).searchParams.get('after');
  if (given === null) return undefined;
  if (!/^\d{1,15}$/.test(given))
    throw problem('E_REQUEST_INVALID', 'The number of the last event must be a whole number');
  return Number(given);
}
