import { setTimeout as delay } from 'node:timers/promises';
import type { RunDetails, RecordedEvent } from '@ravi/api';
import { KernelError } from '@ravi/kernel';
import { hasCode } from './command-error.ts';
import type { Connection } from './connection/connection.ts';

/** Options of {@link followRun}. */
export interface FollowOptions {
  readonly client: Connection;
  readonly runId: string;
  /** Id of the last known event. */
  readonly after?: string | undefined;
  readonly onEvent: (event: RecordedEvent) => void;
  /** Called when the connection is lost, before the next attempt. */
  readonly onLost: (error: Error) => void;
  /** Milliseconds after which a server that does not answer is given up. Default: five minutes. */
  readonly maxAwayMs?: number;
}

const pollMs = 300;
const maxPollMs = 3_000;

/** A run that ended or is paused. */
export interface FollowedRun {
  readonly run: RunDetails;
  /** Id of the last event; absent if there is none. */
  readonly last?: string | undefined;
}

/**
 * Passes on the events of a run until it ends or pauses, and returns the run. A lost connection is opened again after
 * the last event; a run that continues in another process is polled.
 * @throws KernelError with the server's code, `E_SERVER_UNREACHABLE` when the connection stays away
 */
export async function followRun(options: FollowOptions): Promise<FollowedRun> {
  const { client, runId, after, onEvent, onLost, maxAwayMs = 300_000 } = options;
  let last = after;
  // Text that was shown already comes again after a reconnection.
  let parts = 0;
  let lostAt: number | undefined;
  let waitMs = pollMs;
  for (;;) {
    try {
      for await (const event of client.runs.events(runId, {
        ...(last === undefined ? {} : { after: last }),
        reconnects: false,
      })) {
        lostAt = undefined;
        if (event.id !== undefined) [last, parts] = [event.id, 0];
        if (event.part !== undefined && event.part <= parts) continue;
        parts = event.part ?? parts;
        onEvent(event);
      }
      const run = await client.runs.get(runId);
      if (run.status !== 'running') return { run, last };
      lostAt = undefined;
    } catch (error) {
      if (!isLostConnection(error)) throw error;
      if (lostAt === undefined) onLost(error);
      lostAt ??= performance.now();
      if (performance.now() - lostAt >= maxAwayMs) throw givenUp(runId, maxAwayMs, error);
    }
    waitMs = lostAt === undefined ? pollMs : Math.min(maxPollMs, 1.5 * waitMs);
    await delay(waitMs);
  }
}

function givenUp(runId: string, maxAwayMs: number, cause: Error): KernelError {
  const message = `The server has not answered for ${Math.round(maxAwayMs / 1_000)} s. The run ${runId} may continue there: ravi runs tail ${runId}`;
  return new KernelError('E_SERVER_UNREACHABLE', message, { cause });
}

// `fetch` reports a stream that breaks off as a TypeError.
function isLostConnection(error: unknown): error is Error {
  return hasCode(error, 'E_SERVER_UNREACHABLE') || error instanceof TypeError;
}
