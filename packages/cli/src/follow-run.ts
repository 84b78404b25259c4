import { setTimeout as delay } from 'node:timers/promises';
import { isKernelError } from '@ravi/kernel';
import type { RunAnswer, RunEvent } from './client/answers.ts';
import { pathTo } from './client/client.ts';
import type { Client } from './client/client.ts';

/** Options of {@link followRun}. */
export interface FollowOptions {
  readonly client: Client;
  readonly runId: string;
  /** What came before this event is not told; empty for all of it. */
  readonly lastEventId?: string;
  readonly onEvent: (event: RunEvent) => void;
  /** Told when the connection is gone, before it is tried again. */
  readonly onLost: (error: Error) => void;
}

const pollMs = 300;
const maxAttempts = 20;

/** A run that does not go on at present. */
export interface FollowedRun {
  readonly run: RunAnswer;
  /** Of the last event that was told. */
  readonly lastEventId: string;
}

/**
 * Tells what a run does until it is over or paused, and gives it as it stands then. A lost connection is taken up after
 * the last event that was seen; a run that goes on in another process is looked at again and again.
 * @throws KernelError with the server's code, `E_SERVER_UNREACHABLE` when the connection stays away
 */
export async function followRun({
  client,
  runId,
  lastEventId = '',
  onEvent,
  onLost,
}: FollowOptions): Promise<FollowedRun> {
  const path = pathTo('/v1/runs', runId);
  let seen = lastEventId;
  for (let attempts = 0; ;) {
    try {
      for await (const { id, type, data } of client.events(`${path}/events`, seen)) {
        attempts = 0;
        seen = id;
        onEvent({ type, ...(JSON.parse(data) as Omit<RunEvent, 'type'>) });
      }
      const run = await client.get<RunAnswer>(path);
      if (run.status !== 'running') return { run, lastEventId: seen };
    } catch (error) {
      if (!isLostConnection(error) || ++attempts === maxAttempts) throw error;
      if (attempts === 1) onLost(error);
    }
    await delay(pollMs);
  }
}

// `fetch` reports a stream that breaks off as a TypeError.
function isLostConnection(error: unknown): error is Error {
  return isKernelError(error, 'E_SERVER_UNREACHABLE') || error instanceof TypeError;
}
