import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../../packages/testkit/src/index.ts';
import { patienceOf, send } from './http.ts';
import { followRun } from './readers.ts';
import type { EventReader } from './readers.ts';
import type { KilledServers } from './servers.ts';
import { upload } from './uploads.ts';
import type { Upload } from './uploads.ts';
import { everyWorkload, hasUpload, requestOf } from './workloads.ts';
import type { WorkloadName } from './workloads.ts';

/** A run that a server acknowledged. */
export interface StartedRun {
  readonly id: string;
  readonly label: string;
  readonly workload: WorkloadName;
}

/** Starts runs and follows their events. */
export interface RunStarter {
  readonly runs: readonly StartedRun[];
  readonly readers: readonly EventReader[];
  /** Uploads that a server acknowledged. */
  readonly uploads: readonly Upload[];
  /** Workloads of all requests by label. */
  readonly requested: ReadonlyMap<string, WorkloadName>;
  /** Responses that neither started a run nor asked to try again. */
  readonly refusals: readonly string[];
  /** Starts no more runs. Resolves when the last request is settled. */
  stop(): Promise<void>;
}

/** Keeps `live` runs going at live servers. */
export function startRuns(servers: KilledServers, random: SeededRandom, live: number): RunStarter {
  const runs: StartedRun[] = [];
  const readers: EventReader[] = [];
  const uploads: Upload[] = [];
  const requested = new Map<string, WorkloadName>();
  const refusals: string[] = [];
  const open = new Set<Promise<unknown>>();
  const names = everyWorkload(random);
  let isStopped = false;

  // As a careful client does: with the same key until a server acknowledges the run.
  async function request(workload: WorkloadName, label: string): Promise<string | undefined> {
    const uploaded = hasUpload(workload) ? await upload(servers, random, label) : undefined;
    if (uploaded !== undefined) uploads.push(uploaded);
    const body = requestOf(workload, label, uploaded?.ref);
    for (;;) {
      const headers = { 'idempotency-key': label };
      const reply = await send(servers, '/v1/runs', { body, headers, ...patienceOf(random) });
      if (reply?.status === 201) return reply.body.id as string;
      if (reply !== undefined && reply.status < 429) {
        refusals.push(JSON.stringify(reply));
        return undefined;
      }
      await pause(300);
    }
  }

  async function startOne(): Promise<void> {
    const workload = names.next().value;
    const label = `w${requested.size}`;
    requested.set(label, workload);
    const requesting = request(workload, label);
    open.add(requesting);
    const id = await requesting.finally(() => open.delete(requesting));
    if (id === undefined) return;
    runs.push({ id, label, workload });
    const following = Array.from({ length: 1 + random.below(2) }, () => followRun(servers, id, random));
    readers.push(...following);
    await following[0]?.done;
  }

  async function keepStarting(): Promise<void> {
    while (!isStopped) await startOne();
  }

  for (let lane = 0; lane < live; lane++) void keepStarting();
  return {
    runs,
    readers,
    uploads,
    requested,
    refusals,
    async stop() {
      isStopped = true;
      await Promise.all(open);
    },
  };
}
