import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../../packages/testkit/src/index.ts';
import { patienceOf, send } from './http.ts';
import type { KilledServers } from './servers.ts';
import { sessionOf } from './workloads.ts';

/** An artifact that a server acknowledged. */
export interface Upload {
  readonly ref: string;
  readonly label: string;
  /** SHA-256 of the content that the client sent. */
  readonly digest: string;
}

const maxBytes = 300_000;
const headers = { 'content-type': 'text/plain' };

/** Uploads a text for the run of a workload, again until a server acknowledges it. */
export async function upload(servers: KilledServers, random: SeededRandom, label: string): Promise<Upload> {
  const content = `${label} `.repeat(Math.ceil((1 + random.below(maxBytes)) / (label.length + 1)));
  const digest = digestOf(content);
  for (;;) {
    const request = { body: content, headers, ...patienceOf(random) };
    const reply = await send(servers, `/v1/artifacts?sessionId=${sessionOf(label)}`, request);
    if (reply?.status === 201) return { ref: reply.body.ref as string, label, digest };
    if (reply !== undefined && reply.status < 429) throw new Error(`An upload was refused: ${JSON.stringify(reply)}`);
    await pause(300);
  }
}

/** Returns the uploads that servers no longer have, or with other content. */
export async function lostUploads(servers: KilledServers, uploads: readonly Upload[]): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const { ref, label, digest } of uploads) {
    const found = await contentOf(servers, ref);
    if (typeof found === 'number') lost.push(`${ref} of ${label}: status ${found}`);
    else if (digestOf(found) !== digest) lost.push(`${ref} of ${label} has other content`);
  }
  return lost;
}

async function contentOf(servers: KilledServers, ref: string): Promise<string | number> {
  for (;;) {
    try {
      const response = await fetch(`${await servers.liveUrl()}/v1/artifacts/${ref}/content`);
      const content = await response.text();
      if (response.ok) return content;
      if (response.status < 500 && response.status !== 429) return response.status;
    } catch {
      // A connection that breaks off says nothing about the artifact.
    }
    await pause(200);
  }
}

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
