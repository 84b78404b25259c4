import assert from 'node:assert/strict';
import { ToolInvoker, Toolbox } from '@ravi/invoker';
import type { ApprovalHandler, Tool } from '@ravi/kernel';

/** A tool that asks for a date while it runs, and a person who answers. */
export async function elicitationExample(): Promise<void> {
  // #region elicit
  const bookJourney: Tool = {
    name: 'book_journey',
    description: 'Books a journey.',
    risk: 'safe',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    async execute(args, { elicit }) {
      const { city } = args as { city: string };
      const answer = await elicit({
        mode: 'form',
        message: `When do you want to travel to ${city}?`,
        schema: { type: 'object', properties: { day: { type: 'string', format: 'date' } }, required: ['day'] },
      });
      const day = answer.action === 'accept' ? (answer.content as { day: string }).day : undefined;
      const text = day === undefined ? 'not booked' : `booked for ${day}`;
      return { content: [{ type: 'text', text }], isError: false };
    },
  };
  // #endregion

  const person: ApprovalHandler = {
    request: async ({ elicitation }) =>
      elicitation === undefined
        ? { decision: 'denied', approver: 'ada' }
        : { decision: 'approved', content: { day: '2026-12-24' }, approver: 'ada' },
  };
  const invoker = new ToolInvoker({ registry: new Toolbox([bookJourney]), approvalHandler: person });
  await using session = invoker.openSession({ principal: 'ada' });
  const result = await invoker.invoke({ name: 'book_journey', args: { city: 'Oslo' } }, { session });

  assert.equal(result.text, 'booked for 2026-12-24');
}
