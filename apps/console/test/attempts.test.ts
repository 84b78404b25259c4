import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunDetails } from '@ravi/api';
import { createClient } from '@ravi/client';
import type { Client } from '@ravi/client';
import { test } from 'vitest';
import { continueStory, emptyStory } from '../app/api/run-story.ts';
import type { RunStory } from '../app/api/run-story.ts';
import { downtimeOf, timelineOf } from '../app/runs/timeline.ts';
import { startRealServer } from './support/real-server.ts';

/** Reads the story of an ended run as its page does. */
async function storyOf(client: Client, runId: string): Promise<RunStory> {
  let story = emptyStory;
  for await (const event of client.runs.events(runId)) story = continueStory(story, event);
  return story;
}

async function eventually<Value>(read: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    await pause(50);
  }
}

test(
  'the timeline of a run whose server crashed has both attempts, and no step or call spans the downtime',
  { timeout: 90_000 },
  async () => {
    await using server = await startRealServer({ approvals: { mode: 'wait' } });
    const client = createClient({ baseUrl: server.url });
    const { id } = await client.runs.start({ kind: 'agent', task: 'When should I fly?' });
    await eventually(async () => (await client.runs.get(id)).pendingApprovals?.[0]);
    await server.end('SIGKILL');
    const killedAt = Date.now();
    await pause(500);
    await server.restart();
    const run = await eventually(async (): Promise<RunDetails | undefined> => {
      const current = await client.runs.get(id);
      const [open] = current.pendingApprovals ?? [];
      if (open !== undefined) await client.approvals.decide(open.id, { decision: 'approved' }).catch(() => {});
      return current.status === 'completed' ? current : undefined;
    });
    const { rows } = timelineOf(run, await storyOf(client, id), run.updatedAt);
    const [first, second, ...others] = rows.filter(({ kind }) => kind === 'attempt');
    assert.deepEqual([first?.status, second?.status, others.length], ['crashed', 'ended', 0]);
    assert.ok(downtimeOf(run) >= 500, `the downtime is ${downtimeOf(run)} ms`);
    const steps = rows.filter(({ kind }) => kind === 'step');
    assert.equal(steps[0]?.status, 'interrupted');
    const spanning = rows.filter(
      ({ kind, startedAt, endedAt }) => kind !== 'attempt' && startedAt < killedAt && endedAt > killedAt,
    );
    assert.deepEqual(
      spanning.map(({ name, status, startedAt, endedAt }) => [name, status, startedAt - killedAt, endedAt - killedAt]),
      [],
    );
  },
);
