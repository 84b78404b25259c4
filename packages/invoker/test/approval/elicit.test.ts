import assert from 'node:assert/strict';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { ElicitationRequest, ElicitationResult, ToolContext } from '@ravi/kernel';
import { createTestApprovals, neverAnswers, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import type { HarnessOptions } from '../support/harness.ts';
import { recordingTool, textResult } from '../support/tools.ts';

const form: ElicitationRequest = {
  mode: 'form',
  message: 'Where to?',
  schema: { type: 'object', properties: { city: { type: 'string', minLength: 2 } }, required: ['city'] },
};
const page: ElicitationRequest = { mode: 'url', message: 'Sign in', url: 'https://example.org/in?x=1' };

/** A harness with one tool that asks; its result is the answer. */
function asking(request: ElicitationRequest, options: HarnessOptions = {}) {
  const answers: ElicitationResult[] = [];
  const tool = recordingTool('travel', {
    risk: 'safe',
    async run(_args, context) {
      const answer = await context.elicit(request);
      answers.push(answer);
      return textResult(JSON.stringify(answer));
    },
  });
  return { ...createHarness([tool], options), tool, answers };
}

test('a tool gets the answer to its form, which the handler saw as a request of that call', async () => {
  const approvalHandler = createTestApprovals(async () => ({
    decision: 'approved',
    content: { city: 'Oslo' },
    approver: 'ada',
  }));
  const { call, answers, recorded, onlyRecord } = asking(form, { approvalHandler });
  const result = await call('travel', { year: 2026 });
  assert.equal(result.status, 'ok');
  assert.deepEqual(answers, [{ action: 'accept', content: { city: 'Oslo' } }]);
  const [request] = approvalHandler.requests;
  assert.equal(request?.elicitation?.mode, 'form');
  assert.deepEqual(
    [request?.tool, request?.risk, request?.principal, request?.args],
    ['travel', 'safe', 'ada', { year: 2026 }],
  );
  assert.equal(onlyRecord().approval, undefined);
  assert.deepEqual(
    [...recorded.of('approval-requested'), ...recorded.of('approval-decided')].map(({ elicitation }) => elicitation),
    ['form', 'form'],
  );
});

test('a page is accepted without content, a refusal declines, and no decision in time cancels', async () => {
  const decisions = [
    { decision: 'approved', approver: 'ada' },
    { decision: 'denied', approver: 'ada' },
    { decision: 'skipped', approver: 'ada' },
    // The store reports a withdrawn request so.
    { decision: 'denied' },
  ];
  const approvalHandler = createTestApprovals(async (_, index) => decisions[index]);
  const { call, answers } = asking(page, { approvalHandler });
  for (const _ of decisions) await call('travel');
  assert.deepEqual(
    answers.map(({ action }) => action),
    ['accept', 'decline', 'decline', 'cancel'],
  );

  const slow = neverAnswers();
  const waiting = asking(page, { approvalHandler: slow, policy: { approvalTimeoutMs: 500 } });
  const result = waiting.call('travel');
  await slow.asked(0);
  waiting.clock.advance(500);
  assert.equal((await result).status, 'ok');
  assert.deepEqual(waiting.answers, [{ action: 'cancel' }]);
  assert.ok(isKernelError(slow.signals[0]?.reason, 'E_APPROVAL_EXPIRED'));
});

test('answers that do not fit the form reach no tool', async () => {
  const contents = [undefined, {}, { city: 'x' }, { city: 7 }, { city: 'Oslo', more: true }, ['Oslo'], 'Oslo'];
  const approvalHandler = createTestApprovals(async (_, index) => ({
    decision: 'approved',
    approver: 'ada',
    content: contents[index],
  }));
  const { call, answers, logger } = asking(form, { approvalHandler });
  for (const _ of contents) await call('travel');
  assert.deepEqual(
    answers,
    contents.map(() => ({ action: 'cancel' })),
  );
  assert.equal(logger.messages('error').filter((text) => /no valid answer/.test(text)).length, contents.length);
});

test('without a person to ask, the tool gets an error that says so', async () => {
  const rules = createTestApprovals(() => Promise.reject(new KernelError('E_UNSUPPORTED', 'rules answer no form')));
  for (const options of [{}, { approvalHandler: rules }]) {
    const result = await asking(form, options).call('travel');
    assert.equal(result.error?.code, 'E_UNSUPPORTED');
  }
});

test('a request that cannot be shown is refused before a person sees it', async () => {
  const requests = [
    { ...page, url: 'http://example.org' },
    { ...page, url: 'javascript:alert(1)' },
    { ...page, url: 'https://user:secret@example.org' },
    { ...form, message: '\u200b' },
    { ...form, schema: { type: 'array' } },
    { ...form, schema: { type: 'object', properties: { a: { type: 'object' } } } },
    { ...form, mode: 'voice' },
  ] as ElicitationRequest[];
  const approvalHandler = neverAnswers();
  for (const request of requests) {
    const result = await asking(request, { approvalHandler }).call('travel');
    assert.equal(result.error?.code, 'E_REQUEST_INVALID', JSON.stringify(request));
  }
  assert.equal(approvalHandler.requests.length, 0);
});

test('the wait stops the time limit of the call, and the rest of it counts after the answer', async () => {
  const answer = Promise.withResolvers<unknown>();
  const approvalHandler = createTestApprovals(() => answer.promise);
  const tool = recordingTool('travel', {
    async run(_args, context) {
      await context.elicit(page);
      return new Promise(() => {});
    },
    risk: 'safe',
  });
  const { call, clock, session } = createHarness([tool], { approvalHandler, policy: { callTimeoutMs: 10_000 } });
  const result = call('travel');
  await approvalHandler.asked(0);
  clock.advance(300_000);
  answer.resolve({ decision: 'approved', approver: 'ada' });
  await settle();
  assert.equal(session.humanWaitMs(), 300_000);
  clock.advance(9_999);
  await settle();
  assert.equal(session.trace.length, 0);
  clock.advance(1);
  assert.equal((await result).error?.code, 'E_CALL_TIMEOUT');
});

test('a request is withdrawn when its call ends, also if its run is only suspended', async () => {
  const approvalHandler = neverAnswers();
  const forgetful = recordingTool('travel', {
    risk: 'safe',
    async run(_args, context) {
      context.elicit(page).catch(() => undefined);
      return textResult('not waiting');
    },
  });
  const { call, session } = createHarness([forgetful], { approvalHandler });
  assert.equal((await call('travel')).text, 'not waiting');
  await approvalHandler.asked(0);
  assert.equal(approvalHandler.signals[0]?.aborted, true);

  const waiting = asking(page, { approvalHandler });
  const result = waiting.call('travel');
  await approvalHandler.asked(1);
  waiting.session.cancel('The server stops', new KernelError('E_RUN_SUSPENDED', 'The server stops'));
  await assert.rejects(result, (error) => isKernelError(error, 'E_CANCELLED'));
  const reason: unknown = approvalHandler.signals[1]?.reason;
  // A store would leave the request of a suspended call open.
  assert.ok(isKernelError(reason, 'E_CANCELLED') && reason.cause === undefined);
  await session.close();
});

test('after its end a call can ask no more, and no call asks forever', async () => {
  const approvalHandler = createTestApprovals(async () => ({ decision: 'approved', approver: 'ada' }));
  let kept: ToolContext | undefined;
  const tool = recordingTool('travel', {
    risk: 'safe',
    async run(_args, context) {
      kept = context;
      for (;;) await context.elicit(page);
    },
  });
  const result = await createHarness([tool], { approvalHandler }).call('travel');
  assert.equal(result.error?.code, 'E_BUDGET_EXHAUSTED');
  assert.equal(approvalHandler.requests.length, 20);
  await assert.rejects(
    async () => kept?.elicit(page),
    (error) => isKernelError(error, 'E_CANCELLED'),
  );
});

test('an approval for the run answers no request for input', async () => {
  const approvalHandler = createTestApprovals(async ({ elicitation }) =>
    elicitation === undefined
      ? { decision: 'approved', scope: 'run', approver: 'ada' }
      : { decision: 'approved', scope: 'run', content: { city: 'Oslo' }, approver: 'ada' },
  );
  const tool = recordingTool('travel', {
    risk: 'high',
    run: async (_args, context) => textResult(JSON.stringify(await context.elicit(form))),
  });
  const { call } = createHarness([tool], { approvalHandler });
  await call('travel');
  await call('travel');
  assert.deepEqual(
    approvalHandler.requests.map(({ elicitation }) => elicitation?.mode),
    [undefined, 'form', 'form'],
  );
});

test('a tool withdraws its request when it does not need the answer any more', async () => {
  const approvalHandler = neverAnswers();
  const done = new AbortController();
  const tool = recordingTool('travel', {
    risk: 'safe',
    async run(_args, context) {
      const answer = context.elicit(page, { signal: done.signal });
      await assert.rejects(answer, (error) => isKernelError(error, 'E_CANCELLED'));
      return textResult('signed in');
    },
  });
  const result = createHarness([tool], { approvalHandler }).call('travel');
  await approvalHandler.asked(0);
  done.abort();
  assert.equal((await result).text, 'signed in');
  assert.equal(approvalHandler.signals[0]?.aborted, true);
});
