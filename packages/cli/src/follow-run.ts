import { setTimeout as delay } from 'node:timers/promises';
import type { RunDetails, RunEvent } from '@ravi/api';
import { hasCode } from './command-error.ts';
import type { Connection } from './connection/connection.ts';

/** Options of {@link followRun}. */
export interface FollowOptions {
  readonly client: Connection;
  readonly runId: string;
  /** Sequence of the last known event; 0 for none. */
  readonly after?: number;
  readonly onEvent: (event: RunEvent) => void;
  /** Told when the connection is gone, before it is tried again. */
  readonly onLost: (error: Error) => void;
}

const pollMs = 300;
const maxAttempts = 20;

/** A run that does not go on at present. */
export interface FollowedRun {
  readonly run: RunDetails;
  /** Sequence of the last event. */
  readonly last: number;
}

/**
 * Tells what a run does until it is over or paused, and gives it as it stands then. A lost connection is taken up after
 * the last event that was seen; a run that goes on in another process is looked at again and again.
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
