import assert from 'node:assert/strict';
import { isKernelError, KernelError } from '@ravi/kernel';
import type { ApprovalHandler, ApprovalRequest, Completion, Journal, JsonObject, ToolContext } from '@ravi/kernel';
import { settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import type { Harness, HarnessOptions } from '../support/harness.ts';
import { recordingTool, textResult } from '../support/tools.ts';

/** A store of one request, whose result the test delivers. */
function createOutside() {
  const delivered = Promise.withResolvers<JsonObject>();
  delivered.promise.catch(() => {});
  const outside = {
    requests: [] as ApprovalRequest[],
    signals: [] as AbortSignal[],
    deliver: (content: JsonObject) => delivered.resolve(content),
    fail: (error: Error) => delivered.reject(error),
    handler: {
      takesCompletions: true,
      async request(request, { signal, onStored }) {
        outside.requests.push(request);
        outside.signals.push(signal);
        onStored?.();
        return { decision: 'approved', content: await delivered.promise };
      },
    } satisfies ApprovalHandler as ApprovalHandler,
  };
  return outside;
}

interface Waiting extends Harness {
  readonly outside: ReturnType<typeof createOutside>;
  readonly completions: Completion[];
  /** Resolves when the tool has its token. */
  readonly begun: Promise<void>;
}

/** A harness with a tool that waits for its result from outside, or does what `then` does with its token. */
function waiting(
  options: HarnessOptions = {},
  then: (completion: Completion, context: ToolContext) => Promise<never> | Promise<ReturnType<typeof textResult>> = ({
    result,
  }) => result,
): Waiting {
  const outside = createOutside();
  const completions: Completion[] = [];
  const begun = Promise.withResolvers<void>();
  const deploy = recordingTool('deploy', {
    risk: 'safe',
    concurrency: 'exclusive',
    async run(_args, context) {
      const completion = await context.completion({ expiresInMs: 60_000 });
      completions.push(completion);
      begun.resolve();
      return then(completion, context);
    },
  });
  const other = recordingTool('other', {
    risk: 'safe',
    concurrency: 'exclusive',
    run: async () => textResult('other'),
  });
  const harness = createHarness([deploy, other], { approvalHandler: outside.handler, ...options });
  return { ...harness, outside, completions, begun: begun.promise };
}

test('the delivered value is the result of the call, and only the digest of its token is in the request', async () => {
  const completionUrl = (token: string): string => `https://example.org/${token}`;
  const { call, outside, completions, recorded, session, begun } = waiting({ completionUrl });
  const result = call('deploy');
  await begun;
  const [request] = outside.requests;
  const [{ token, url, expiresAt } = {} as Completion] = completions;
  assert.match(token, /^rvc_[0-9a-f]{32}[\w-]{43}$/);
  assert.deepEqual([url, expiresAt], [completionUrl(token), request?.expiresAt]);
  assert.match(request?.completion?.digest ?? '', /^[0-9a-f]{64}$/);
  assert.ok(request?.id.startsWith('completion_') && token.includes(request.id.slice('completion_'.length)));
  outside.deliver({ result: { version: 7 } });
  const { status, structured, text } = await result;
  assert.deepEqual([status, structured, text], ['ok', { version: 7 }, '{"version":7}']);
  assert.deepEqual(
    [...recorded.of('completion-requested'), ...recorded.of('completion-ended')].map(({ type }) => type),
    ['completion-requested', 'completion-ended'],
  );
  assert.equal(recorded.of('approval-requested').length, 0);
  assert.ok(!JSON.stringify([outside.requests, recorded.recorded, session.trace]).includes(token.slice(-43)));
});

test('the wait ends no time limit, holds no lock, and counts as a wait for people', async () => {
  const { call, outside, clock, session, begun } = waiting({ policy: { callTimeoutMs: 1_000 } });
  const result = call('deploy');
  await begun;
  await settle();
  clock.advance(50_000);
  assert.equal((await call('other')).text, 'other');
  assert.equal(session.humanWaitMs(), 50_000);
  outside.deliver({ result: 'done' });
  assert.equal((await result).text, 'done');
});

test('an error from outside, an end of its time and a failure of the store are errors of the call', async () => {
  const failed = waiting();
  failed.outside.deliver({ error: { message: 'no room', code: 'FULL' } });
  assert.deepEqual((await failed.call('deploy')).error, { code: 'FULL', message: 'no room', retryable: false });

  const expired = waiting();
  expired.outside.fail(new KernelError('E_APPROVAL_EXPIRED', 'late'));
  const { error } = await expired.call('deploy');
  assert.equal(error?.code, 'E_COMPLETION_EXPIRED');
  assert.match(error.message, /no result of it within 60 seconds/);

  const broken = waiting();
  broken.outside.fail(new Error('password=1'));
  const { error: hidden } = await broken.call('deploy');
  assert.equal(hidden?.code, 'E_INTERNAL');
  assert.ok(!hidden.message.includes('password'));
});

test('what the tool returns or throws first is its result, and withdraws the token; a call is not repeated', async () => {
  const refused = Object.assign(new Error('refused'), { code: 'BUSY', retryable: true });
  const ends = [async () => textResult('own'), () => Promise.reject(refused)];
  for (const end of ends) {
    const { call, outside, recorded } = waiting({}, async ({ result }) => {
      result.catch(() => {});
      return end();
    });
    const { text } = await call('deploy');
    assert.match(text, /^(own|refused)$/);
    await settle();
    assert.equal(outside.signals[0]?.aborted, true);
    assert.ok(isKernelError(outside.signals[0].reason, 'E_CANCELLED'));
    assert.equal(recorded.of('completion-ended')[0]?.outcome, 'ended');
    assert.equal(outside.requests.length, 1);
  }
});

test('the promise of the tool rejects when the call has its result, so that it can clean up', async () => {
  const cleaned = Promise.withResolvers<unknown>();
  const { call, outside, logger, begun } = waiting({}, async ({ result }) => {
    try {
      return await result;
    } catch (error) {
      cleaned.resolve(error);
      throw error;
    }
  });
  const result = call('deploy');
  await begun;
  outside.deliver({ result: 'done' });
  assert.equal((await result).text, 'done');
  assert.ok(isKernelError(await cleaned.promise, 'E_CANCELLED'));
  await settle();
  assert.deepEqual(logger.messages('warn'), []);
});

test('a token needs a store, a possible time, and is the only one of its call', async () => {
  const without: ApprovalHandler = { request: async () => ({ decision: 'approved' }) };
  const { error } = await waiting({ approvalHandler: without }).call('deploy');
  assert.equal(error?.code, 'E_UNSUPPORTED');
  const codes: unknown[] = [];
  const outside = createOutside();
  const greedy = recordingTool('greedy', {
    risk: 'safe',
    async run(_args, context) {
      for (const expiresInMs of [0, -1, 1.5, Number.NaN, 25 * 86_400_000, 1, 1]) {
        await context.completion({ expiresInMs }).catch((reason: KernelError) => codes.push(reason.code));
      }
      return textResult('done');
    },
  });
  await createHarness([greedy], { approvalHandler: outside.handler }).call('greedy');
  assert.deepEqual(codes, [...Array(5).fill('E_ARGUMENTS_INVALID'), 'E_BUDGET_EXHAUSTED']);
});

test('the start of a safe call is on record before its token exists, and without that record there is no token', async () => {
  const order: string[] = [];
  let isDown = false;
  const journal: Journal = {
    async started() {
      if (isDown) throw new KernelError('E_STATE_UNAVAILABLE', 'down', { retryable: true });
      order.push('started');
    },
    finished: async () => void order.push('finished'),
  };
  const outside = createOutside();
  const handler: ApprovalHandler = {
    takesCompletions: true,
    request(request, how) {
      order.push('token');
      return outside.handler.request(request, how);
    },
  };
  const { call } = waiting({ journal, approvalHandler: handler });
  outside.deliver({ result: 'done' });
  assert.equal((await call('deploy')).text, 'done');
  assert.deepEqual(order, ['started', 'token', 'finished']);
  isDown = true;
  assert.equal((await call('deploy')).error?.code, 'E_STATE_UNAVAILABLE');
  assert.equal(order.filter((each) => each === 'token').length, 1);
});
