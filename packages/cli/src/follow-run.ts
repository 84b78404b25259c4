import { setTimeout as delay } from 'node:timers/promises';
import type { RunDetails, RecordedEvent } from '@ravi/api';
import { hasCode } from './command-error.ts';
import type { Connection } from './connection/connection.ts';

/** Options of {@link followRun}. */
export interface FollowOptions {
  readonly client: Connection;
  readonly runId: string;
  /** Sequence of the last known event; 0 for none. */
  readonly after?: number;
  readonly onEvent: (event: RecordedEvent) => void;
  /** Called when the connection is lost, before the next attempt. */
  readonly onLost: (error: Error) => void;
}

const pollMs = 300;
const maxAttempts = 20;

/** A run that ended or is paused. */
export interface FollowedRun {
  readonly run: RunDetails;
  /** Sequence of the last event. */
  readonly last: number;
}

/**
 * Passes on the events of a run until it ends or pauses, and returns the run. A lost connection is opened again after
 * the last event; a run that continues in another process is polled.
 * @throws KernelError with the server's code, `E_SERVER_UNREACHABLE` when the connection stays away
 */
export async function followRun({ client, runId, after = 0, onEvent, onLost }: FollowOptions): Promise<FollowedRun> {
  let last = after;
  for (let attempts = 0; ;) {
    try {
      for await (const event of client.runs.events(runId, {
        ...(last === 0 ? {} : { after: last }),
        reconnects: false,
      })) {
        attempts = 0;
        last = event.sequence;
        onEvent(event);
      }
      const run = await client.runs.get(runId);
      if (run.status !== 'running') return { run, last };
    } catch (error) {
      if (!isLostConnection(error) || ++attempts === maxAttempts) throw error;
      if (attempts === 1) onLost(error);
    }
    await delay(pollMs);
  }
}

// `fetch` reports a stream that breaks off as a TypeError.
function isLostConnection(error: unknown): error is Error {
  return hasCode(error, 'E_SERVER_UNREACHABLE') || error instanceof TypeError;
}
