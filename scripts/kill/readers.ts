import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../../packages/testkit/src/index.ts';
import { readEvents } from '../../apps/monolith/test/support/event-reader.ts';
import type { KilledServers } from './servers.ts';

/** Stored event as a reader received it. */
export interface SeenEvent {
  readonly id: string;
  readonly type: string;
  readonly digest: string;
  readonly isEnd: boolean;
}

/** Events that one reader received, across all its connections. */
export interface Reading {
  readonly runId: string;
  readonly events: readonly SeenEvent[];
  /** Events without id, which need not be stored. */
  readonly provisional: number;
  readonly connections: number;
  /** Calls whose end is not among the events. */
  readonly openCalls: readonly string[];
}

/** A reader of the events of one run. */
export interface EventReader {
  /** Resolves after the end of the run, or after {@link EventReader.stop}. */
  readonly done: Promise<Reading>;
  /** Ends the connection and gives up. */
  stop(): void;
}

/**
 * Follows a run at live servers, and reconnects with `Last-Event-ID` whenever its connection ends or, at random moments,
 * because it leaves. After the end of the run it reconnects once more, which must not bring another event.
 */
export function followRun(servers: KilledServers, runId: string, random?: SeededRandom): EventReader {
  const stopped = new AbortController();
  const events: SeenEvent[] = [];
  const openCalls = new Set<string>();
  let [provisional, connections] = [0, 0];

  async function connect(): Promise<void> {
    const url = await servers.liveUrl();
    const left = new AbortController();
    const patience = random === undefined || random.below(3) > 0 ? Infinity : 1 + random.below(12);
    let received = 0;
    const last = events.at(-1)?.id;
    const response = await fetch(`${url}/v1/runs/${runId}/events`, {
      headers: last === undefined ? {} : { 'last-event-id': last },
      signal: AbortSignal.any([stopped.signal, left.signal]),
    });
    if (!response.ok) return void (await response.body?.cancel());
    connections++;
    for await (const { id, event = '', data } of readEvents(response)) {
      if (id === undefined) provisional++;
      else {
        events.push(seen(id, event, data));
        const { callId } = (JSON.parse(data) as { readonly data?: { readonly callId?: string } }).data ?? {};
        if (callId !== undefined && event === 'tool-call') openCalls.add(callId);
        if (callId !== undefined && event === 'tool-result') openCalls.delete(callId);
      }
      if (++received >= patience) left.abort();
    }
  }

  async function follow(): Promise<Reading> {
    for (let hasEnded = false; !stopped.signal.aborted;) {
      await connect().catch(() => {});
      if (hasEnded) break;
      hasEnded = events.some(({ isEnd }) => isEnd);
      await pause(hasEnded ? 0 : 100);
    }
    return { runId, events, provisional, connections, openCalls: [...openCalls] };
  }

  return { done: follow(), stop: () => stopped.abort() };
}

function seen(id: string, type: string, data: string): SeenEvent {
  const { data: content = {} } = JSON.parse(data) as { readonly data?: { readonly parentId?: string } };
  return {
    id,
    type,
    digest: createHash('sha256').update(data).digest('hex'),
    isEnd: type === 'run-end' && content.parentId === undefined,
  };
}
