import type { Hono } from 'hono';
import { problem } from '../core/problem.ts';
import { proofHeader, relayPath, ticketHeader } from './event-relay.ts';
import { streamEvents } from './event-stream.ts';
import type { EventFormat, EventSources } from './event-stream.ts';
import type { RelayTickets } from './relay-ticket.ts';

/** Options of {@link mountRelay}. */
export interface RelayRouteOptions {
  /** Id of this process. */
  readonly processId: string;
  readonly tickets: RelayTickets;
  readonly sources: EventSources;
  readonly lifetime: AbortSignal;
}

/** One event in each line, with all of its fields. */
const lines: EventFormat = {
  frame: (event) => `${JSON.stringify(event)}\n`,
};

const eventId = /^\d{1,15}\.\d{1,15}$/;

/**
 * Serves the events of runs that this process executes to the other servers of the installation. Their tickets take the place of access
 * tokens, and a browser has none, so the checks of origins come after it.
 */
export function mountRelay(app: Hono, { processId, tickets, sources, lifetime }: RelayRouteOptions): void {
  app.get(relayPath, (context) => {
    const runId = context.req.param('runId') ?? '';
    const ticket = context.req.header(ticketHeader) ?? '';
    if (!tickets.isValid(ticket, { processId, runId })) {
      throw problem(
        'E_UNAUTHENTICATED',
        `This path is for the servers of the installation: ${ticketHeader} is not valid`,
      );
    }
    const log = sources.recorder.active(runId);
    if (log === undefined || log.isClosed)
      throw problem('E_RUN_NOT_FOUND', `This server does not execute run ${runId}`);
    const { after, part = '0' } = context.req.query();
    if ((after !== undefined && !eventId.test(after)) || !/^\d{1,9}$/.test(part)) {
      throw problem('E_REQUEST_INVALID', '"after" must be the id of an event, and "part" a number');
    }
    const headers = { 'content-type': 'application/x-ndjson', [proofHeader]: tickets.prove(ticket) };
    return streamEvents(
      { recorder: sources.recorder, runs: sources.runs },
      { runId, after, part: Number(part), isRelayed: true, format: { ...lines, headers }, lifetime },
    );
  });
}
