import type { RecordedEvent } from '@ravi/api';
import { eventIdPattern } from '@ravi/api';
import type { Clock, Logger, ProcessStore, Run, Timer } from '@ravi/kernel';
import { livingProcesses } from '@ravi/support';
import type { EventPosition } from '../../runs/shown-events.ts';
import type { RelayTickets } from './relay-ticket.ts';

/** Reads the events of runs that other servers execute from these servers, together with the text that no store has. */
export interface EventRelay {
  /**
   * Yields the events after a position while another server executes the run, and `undefined` for a sign of life. Returns when that server
   * executes it no longer, cannot be reached or is silent; the reader then continues from the store.
   */
  read(run: Run, after: EventPosition, signal: AbortSignal): AsyncGenerator<RecordedEvent | undefined, void>;
}

/** Options of {@link createEventRelay}. */
export interface EventRelayOptions {
  /** Id of this process. */
  readonly processId: string;
  readonly processes: Pick<ProcessStore, 'list'>;
  readonly tickets: RelayTickets;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Path at which a server serves the events of its runs to others. */
export const relayPath = '/internal/runs/:runId/events';
/** Header with a ticket of {@link createRelayTickets}. */
export const ticketHeader = 'x-ravi-relay-ticket';
/** Header of the response, with which the server proves that it belongs to the installation. */
export const proofHeader = 'x-ravi-relay-proof';

const eventId = new RegExp(eventIdPattern);
const connectMs = 2_000;
/** A server sends a sign of life every 15 seconds. */
const silentMs = 20_000;
/** Time until a server that could not be reached is tried again. */
const restMs = 10_000;
const addressesMs = 5_000;
/** Characters of one event at most. */
const maxLineLength = 16_000_000;

/** Creates the relay of a process. */
export function createEventRelay(options: EventRelayOptions): EventRelay {
  const { processId, processes, tickets, clock, logger } = options;
  /** Owners that could not be reached, and the time of the next attempt. */
  const resting = new Map<string, number>();
  let addresses: { readonly readAt: number; readonly byOwner: Promise<ReadonlyMap<string, string>> } | undefined;

  async function addressOf(owner: string): Promise<string | undefined> {
    const now = clock.monotonic();
    if (addresses === undefined || now - addresses.readAt >= addressesMs) {
      addresses = { readAt: now, byOwner: readAddresses(processes) };
    }
    const { byOwner } = addresses;
    try {
      return (await byOwner).get(owner);
    } catch {
      // The store does not respond, which says nothing of the owner.
      if (addresses?.byOwner === byOwner) addresses = undefined;
      return undefined;
    }
  }

  function rest(owner: string, address: string, error: unknown): void {
    for (const [other, until] of resting) if (until <= clock.monotonic()) resting.delete(other);
    resting.set(owner, clock.monotonic() + restMs);
    logger.info('the server that executes a run cannot be reached; its events are read from the store', {
      address,
      error,
    });
  }

  async function open(
    { id: runId }: Run,
    { owner, address }: { readonly owner: string; readonly address: string },
    { id, part }: EventPosition,
    stop: AbortController,
  ): Promise<ReadableStream<Uint8Array> | undefined> {
    const query = new URLSearchParams({ part: String(part), ...(id === undefined ? {} : { after: id }) });
    const url = `${address}${relayPath.replace(':runId', encodeURIComponent(runId))}?${query}`;
    const ticket = tickets.issue({ processId: owner, runId });
    const headers = { [ticketHeader]: ticket };
    const timer = clock.setTimer(() => stop.abort(new Error(`No answer within ${connectMs} ms`)), connectMs);
    try {
      const response = await fetch(url, { headers, signal: stop.signal, redirect: 'error' });
      if (response.ok && response.body !== null) {
        if (tickets.isProof(response.headers.get(proofHeader) ?? '', ticket)) return response.body;
        throw new Error('It is not a server of the installation');
      }
      // It does not execute the run any more.
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      throw new Error(`It responded with ${response.status}`);
    } finally {
      timer.cancel();
    }
  }

  return {
    async *read(run, after, signal) {
      const { owner } = run;
      if (owner === undefined || owner === processId || (resting.get(owner) ?? 0) > clock.monotonic()) return;
      const stop = new AbortController();
      const leave = (): void => stop.abort();
      signal.addEventListener('abort', leave, { once: true });
      let address: string | undefined;
      try {
        address = await addressOf(owner);
        if (address === undefined || signal.aborted) return;
        const body = await open(run, { owner, address }, after, stop);
        if (body !== undefined) yield* linesOf(body, stop, clock);
      } catch (error) {
        if (!signal.aborted) rest(owner, address ?? 'unknown', error);
      } finally {
        signal.removeEventListener('abort', leave);
        stop.abort();
      }
    },
  };
}

/** Yields the event of each line; `undefined` for a comment. */
async function* linesOf(
  body: ReadableStream<Uint8Array>,
  stop: AbortController,
  clock: Clock,
): AsyncGenerator<RecordedEvent | undefined, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let parts: string[] = [];
  let length = 0;
  const silence = (): Timer =>
    clock.setTimer(() => stop.abort(new Error(`It sent no whole line for ${silentMs} ms`)), silentMs);
  let timer = silence();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const [first = '', ...lines] = decoder.decode(value, { stream: true }).split('\n');
      parts.push(first);
      length += first.length;
      if (length > maxLineLength) throw new Error(`It sent a line of more than ${maxLineLength} characters`);
      if (lines.length === 0) continue;
      const rest = lines.pop() ?? '';
      const whole = [parts.join(''), ...lines].filter((line) => line !== '');
      [parts, length] = [[rest], rest.length];
      if (whole.length === 0) continue;
      timer.cancel();
      for (const line of whole) yield line.startsWith(':') ? undefined : eventIn(line);
      timer = silence();
    }
  } finally {
    timer.cancel();
  }
}

/** Returns the event of a line. @throws Error if it is none, as from a server of another version */
function eventIn(line: string): RecordedEvent {
  const event = JSON.parse(line) as Partial<RecordedEvent> | null;
  const { id, type, part = 1 } = event ?? {};
  const isEvent = typeof type === 'string' && Number.isInteger(part) && (id === undefined || eventId.test(id));
  if (!isEvent) throw new Error('It sent a line that is not an event');
  return event as RecordedEvent;
}

async function readAddresses(processes: Pick<ProcessStore, 'list'>): Promise<ReadonlyMap<string, string>> {
  const living = await livingProcesses(processes);
  return new Map(living.flatMap(({ id, address }) => (address === undefined ? [] : [[id, address] as const])));
}
