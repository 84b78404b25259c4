import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { readEvents } from './event-reader.ts';

/** Body of a response. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Body = any;

/** Sends a request, a POST if it has a body, and returns the body of its response. */
export async function send(url: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${url}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Starts a run of the default agent, or of the one that is named, and returns its id. */
export async function start(url: string, text: string, agent?: string): Promise<string> {
  return (await send(url, '/v1/runs', { kind: 'agent', task: text, ...(agent === undefined ? {} : { agent }) })).id;
}

/** Follows a run across its streams until `event` and returns its data. */
export async function until(url: string, runId: string, event: string): Promise<Body> {
  for (let last = ''; ;) {
    const response = await fetch(`${url}/v1/runs/${runId}/events`, { headers: { 'last-event-id': last } });
    for await (const received of readEvents(response)) {
      if (received.event === event) return JSON.parse(received.data).data;
      last = received.id ?? last;
    }
    await pause(20);
  }
}

/** Answers the questions of a run. */
export async function answer(url: string, runId: string, text: string | object): Promise<Body> {
  const resumed = await send(url, `/v1/runs/${runId}/resume`, { answer: text });
  assert.equal(resumed.error, undefined, JSON.stringify(resumed));
  return resumed;
}

/** Waits until a run and those below it have `count` pending approvals, and returns them, oldest first. */
export async function pendingOf(url: string, runId: string, count: number): Promise<readonly Body[]> {
  for (;;) {
    const { items } = await send(url, `/v1/approvals?runId=${runId}&status=pending`);
    if (items.length >= count) return items.toReversed();
    await pause(20);
  }
}

/** Decides an approval; by default approves it. */
export async function approve(url: string, { id }: Body, more: object = { decision: 'approved' }): Promise<void> {
  const decided = await send(url, `/v1/approvals/${id}/decision`, more);
  assert.equal(decided.error, undefined, JSON.stringify(decided));
}

/** Waits until a run has a status, and returns it. Fails with its outcome if it ends with another one. */
export async function untilStatus(url: string, runId: string, status: string): Promise<Body> {
  for (;;) {
    const run = await send(url, `/v1/runs/${runId}`);
    if (run.status === status) return run;
    const hasEnded = ['completed', 'failed', 'cancelled'].includes(run.status);
    assert.ok(!hasEnded, `${runId} is ${run.status}, not ${status}: ${JSON.stringify(run.outcome)}`);
    await pause(20);
  }
}
