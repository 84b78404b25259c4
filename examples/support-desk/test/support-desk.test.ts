import assert from 'node:assert/strict';
import { createClient, RaviApiError } from '@ravi/client';
import { test } from 'vitest';
import { startDesk } from './running-desk.ts';

test(
  'a refund is delegated, judged, approved by a person and confirmed in a letter, until the day is used up',
  { timeout: 120_000 },
  async () => {
    await using desk = await startDesk({ DESK_CALLS_PER_DAY: '9' });
    const { next, url } = desk;
    const client = createClient({ baseUrl: url });

    // A person sees in the inbox what will happen, and approves it.
    const id = await next(/refund_order waits for you: (\S+)$/);
    const { approval } = await client.approvals.get(id);
    assert.deepEqual([approval.agent, approval.status], ['refunds', 'pending']);
    assert.match(approval.summary ?? '', /^Refund 40\.00 € of order A-17: The lamp/);
    await client.approvals.decide(id, { decision: 'approved' });
    assert.match(await next(/^Desk: (.*)$/), /refunded with 40\.00 €; the letter is attached/);

    // The letter of the delegate is an artifact of the customer's run.
    const letter = await fetch(await next(/^ {2}letter: (\S+)$/));
    assert.equal(letter.headers.get('content-disposition')?.split(';')[0], 'attachment');
    assert.match(await letter.text(), /^Dear Ada,\n\nWe refund 40\.00 €/);

    // The guard refuses the second refund, so no person is asked.
    assert.match(await next(/^Desk: (.*)$/), /the judge auditor refused it: it is above 100 €/);
    assert.equal(await next(/^ {2}refund_order {2}(.*)$/), 'denied  E_GUARDRAIL');
    assert.deepEqual((await client.approvals.list({ status: 'pending' })).items, []);

    // The skill is imposed on the agent that handles refunds.
    const agents = (await client.agents.list()).items;
    assert.deepEqual(agents.find(({ name }) => name === 'refunds')?.imposedSkills, ['refunds']);

    const refused = await untilRefused(() =>
      client.runs.start({ kind: 'agent', task: 'Please refund B-42.' }).then(async ({ id: runId }) => {
        for await (const { type } of client.runs.events(runId)) if (type === 'run-end') break;
      }),
    );
    assert.deepEqual([refused.status, refused.code], [429, 'E_BUDGET_EXHAUSTED']);
    assert.match(refused.message, /The budget of 9 tool calls per day .* resets at .*T00:00:00/);
    assert.equal(await desk.stop(), 0);
  },
);

/** Sends requests until one is refused. */
async function untilRefused(send: () => Promise<void>): Promise<RaviApiError> {
  for (let sent = 0; sent < 9; sent += 1) {
    try {
      await send();
    } catch (error) {
      if (error instanceof RaviApiError) return error;
      throw error;
    }
  }
  throw new Error('no request was refused');
}
