import assert from 'node:assert/strict';
import type { ApprovalDecisionInput, ElicitationRequest } from '@ravi/kernel';
import { createApprovalRequest } from '@ravi/testkit';
import { test } from 'vitest';
import { createCliApproval } from '../src/index.ts';
import { createPseudoTerminal } from './pseudo-terminal.ts';

const form: ElicitationRequest = {
  mode: 'form',
  message: 'Where to? \u001b[2J',
  schema: {
    type: 'object',
    properties: {
      city: { type: 'string', title: 'City', minLength: 2 },
      nights: { type: 'integer', minimum: 1 },
      room: {
        type: 'string',
        oneOf: [
          { const: 's', title: 'Single' },
          { const: 'd', title: 'Double' },
        ],
      },
      extras: { type: 'array', items: { type: 'string', enum: ['wifi', 'bath'] } },
      quiet: { type: 'boolean' },
    },
    required: ['city', 'room'],
  },
};

/** Types each answer when its prompt has come; returns the decision and what was shown. */
async function converse(
  elicitation: ElicitationRequest,
  answers: readonly (readonly [prompt: string, times: number, line: string])[],
): Promise<{ readonly result: ApprovalDecisionInput; readonly shown: string }> {
  const terminal = createPseudoTerminal();
  const request = createApprovalRequest({ tool: 'travel', elicitation });
  const result = createCliApproval(terminal).request(request, { signal: new AbortController().signal });
  for (const [prompt, times, line] of answers) {
    await terminal.waitFor(prompt, times);
    terminal.input.write(`${line}\n`);
  }
  return { result: await result, shown: terminal.shown() };
}

test('a form is filled in field by field, and a field is asked again until it fits', async () => {
  const { result, shown } = await converse(form, [
    ['Answer it? (y/n) ', 1, 'y'],
    ['City: ', 1, ''],
    ['City: ', 2, 'O'],
    ['City: ', 3, 'Oslo'],
    ['nights, optional: ', 1, 'many'],
    ['nights, optional: ', 2, '2'],
    ['room (number or value): ', 1, '3'],
    ['room (number or value): ', 2, '2'],
    ['extras (numbers or values, separated by commas), optional: ', 1, 'wifi, 2'],
    ['quiet (y/n), optional: ', 1, ''],
    ['Send this answer? (y/n) ', 1, 'y'],
  ]);
  const content = { city: 'Oslo', nights: 2, room: 'd', extras: ['wifi', 'bath'] };
  assert.deepEqual(result, { decision: 'approved', content, approver: 'terminal' });
  assert.match(shown, /travel asks for input, for ada/);
  assert.match(shown, /Where to\?/);
  assert.match(shown, /must have at least 2 characters/);
  assert.match(shown, /2\. Double \(d\)/);
});

test('a page is shown with its host, and counts only after a clear yes', async () => {
  const page: ElicitationRequest = { mode: 'url', message: 'Sign in', url: 'https://example.org/in?state=1' };
  const question = 'Have you done what it asks? (y/n) ';
  const yes = await converse(page, [
    [question, 1, 'maybe'],
    [question, 2, 'y'],
  ]);
  assert.deepEqual(yes.result, { decision: 'approved', approver: 'terminal' });
  assert.match(yes.shown, /host {2}example\.org/);
  assert.match(yes.shown, /page {2}https:\/\/example\.org\/in\?state=1/);
  const no = await converse(page, [[question, 1, 'n']]);
  assert.deepEqual(no.result, { decision: 'denied', approver: 'terminal' });
});

test('without a terminal a request for input is left to people elsewhere', async () => {
  const handler = createCliApproval(createPseudoTerminal({ isTTY: false }));
  const request = createApprovalRequest({ elicitation: form });
  await assert.rejects(handler.request(request, { signal: new AbortController().signal }), { code: 'E_UNSUPPORTED' });
});
