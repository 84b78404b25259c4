import { setTimeout as pause } from 'node:timers/promises';
import { readAll, sendUntilAnswered } from './http.ts';
import { followRun } from './readers.ts';
import type { Reading } from './readers.ts';
import type { KilledServers } from './servers.ts';

/** A call in the trace of a run. */
export interface TracedCall {
  readonly callId: string;
  readonly tool: string;
  readonly status: string;
  readonly argsPreview: string;
  readonly errorCode?: string;
}

/** A run at the end of the test. */
export interface EndedRun {
  readonly id: string;
  readonly status: string;
  readonly parentRunId?: string;
  readonly definition: { readonly code?: string; readonly details?: { readonly title?: string } };
  readonly outcome?: {
    readonly result?: { readonly value?: unknown };
    readonly error?: { readonly code: string; readonly message: string };
  };
  readonly error?: { readonly code: string; readonly message: string };
  readonly task?: string;
  readonly trace: readonly TracedCall[];
  readonly artifacts: readonly { readonly ref: string; readonly bytes: number }[];
  readonly children: readonly { readonly id: string }[];
  /** Questions to the user that are open. */
  readonly questions: readonly { readonly callId: string }[];
}

/** An approval at the end of the test. */
export interface EndedApproval {
  readonly id: string;
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly status: string;
  readonly args?: { readonly id?: string };
}

/** Everything that the servers report when all is quiet. */
export interface FinalState {
  readonly runs: readonly EndedRun[];
  readonly approvals: readonly EndedApproval[];
  /** The stored events of each run without a parent, read from the beginning. */
  readonly events: ReadonlyMap<string, Reading>;
  /** Artifacts of runs that cannot be read completely. */
  readonly lostArtifacts: readonly string[];
}

const live = ['running', 'paused'];
// On an overloaded machine the end takes a while to arrive.
const readMs = 60_000;
const readsAtOnce = 6;

/** Waits until no run is live, for at most `limitMs`. */
export async function untilQuiet(servers: KilledServers, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    // In one list: between two, by status, a run that is resumed or pauses could be in neither.
    const runs = await readAll<{ readonly status: string }>(servers, '/v1/runs');
    if (runs.every(({ status }) => !live.includes(status))) return;
    await pause(500);
  }
}

/** Reads all runs, approvals, events and artifacts. */
export async function readFinalState(servers: KilledServers): Promise<FinalState> {
  const listed = await readAll<{ readonly id: string }>(servers, '/v1/runs');
  const runs: EndedRun[] = [];
  const events = new Map<string, Reading>();
  const lostArtifacts: string[] = [];
  const read = async (id: string): Promise<void> => {
    const run = (await sendUntilAnswered(servers, `/v1/runs/${id}`)).body as EndedRun;
    runs.push(run);
    if (run.parentRunId === undefined) events.set(id, await readEventsOf(servers, run));
    for (const { ref, bytes } of run.artifacts) {
      if ((await sizeOf(servers, ref)) !== bytes) lostArtifacts.push(`${ref} of ${id}`);
    }
    for (const child of run.children) await read(child.id);
  };
  const rest = listed.values();
  await Promise.all(
    Array.from({ length: readsAtOnce }, async () => {
      for (const { id } of rest) await read(id);
    }),
  );
  return { runs, events, lostArtifacts, approvals: await readAll(servers, '/v1/approvals') };
}

async function readEventsOf(servers: KilledServers, run: EndedRun): Promise<Reading> {
  const reader = followRun(servers, run.id);
  const timer = setTimeout(() => reader.stop(), live.includes(run.status) ? 1_000 : readMs);
  const reading = await reader.done;
  clearTimeout(timer);
  return reading;
}

async function sizeOf(servers: KilledServers, ref: string): Promise<number | undefined> {
  try {
    const response = await fetch(`${await servers.liveUrl()}/v1/artifacts/${ref}/content`);
    const content = await response.arrayBuffer();
    return response.ok ? content.byteLength : undefined;
  } catch {
    return undefined;
  }
}
