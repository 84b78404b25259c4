import assert from 'node:assert/strict';
import { KernelError, isKernelError } from '@ravi/kernel';
import type { JsonValue, ToolContext } from '@ravi/kernel';
import { createTestBlobs } from '@ravi/testkit';
import { test } from 'vitest';
import { runTool } from '../src/testing.ts';
import type { RunToolOptions, RunToolReport } from '../src/testing.ts';
import { recordingTool, textResult, valueResult } from './support/tools.ts';
import type { ToolOverrides } from './support/tools.ts';

/** Runs `body` as a tool, once. */
function run(
  body: (context: ToolContext) => unknown,
  options: RunToolOptions = {},
  overrides: ToolOverrides = { risk: 'safe', runAfterResponse: true },
): Promise<RunToolReport> {
  const tool = recordingTool('outer', {
    ...overrides,
    run: async (_args, context) => valueResult(await body(context)),
  });
  return runTool(tool, {}, options);
}

const inner = recordingTool('inner', { risk: 'high', run: (args) => valueResult({ got: args }) });

test('a call inside a call passes the gates, and is in the trace under it', async () => {
  const { result, calls, approvals } = await run(
    async ({ run: { tool } }) => (await tool('inner', { n: 1 })).structured ?? null,
    {
      tools: [inner],
    },
  );
  assert.deepEqual(result.structured, { got: { n: 1 } });
  assert.deepEqual(
    calls.map(({ callId, tool, status, approval }) => [callId, tool, status, approval?.decision]),
    [['call_1.call_1', 'inner', 'ok', 'approved']],
  );
  assert.deepEqual(
    approvals.map(({ callId }) => callId),
    ['call_1.call_1'],
  );
});

test('a denied call inside a call is a value, and has not run', async () => {
  const before = inner.calls.length;
  const { result } = await run(async ({ run: { tool } }) => (await tool('inner', {})).error?.code ?? null, {
    tools: [inner],
    approves: false,
  });
  assert.deepEqual([result.structured, inner.calls.length], ['E_APPROVAL_DENIED', before]);
});

test('calls inside a call count against the budget of its session', async () => {
  const body = async ({ run: { tool } }: ToolContext): Promise<JsonValue> => {
    const codes: JsonValue[] = [];
    for (let n = 0; n < 3; n++) codes.push((await tool('inner', {})).error?.code ?? 'ok');
    return codes;
  };
  const { result } = await run(body, { tools: [inner], policy: { maxToolCalls: 3, maxRiskUnapproved: 'high' } });
  assert.deepEqual(result.structured, ['ok', 'ok', 'E_BUDGET_EXHAUSTED']);
});

test('a call inside a call has a time limit of its own, also one that its tool only starts', async () => {
  const stuck = recordingTool('stuck', { risk: 'safe', run: () => new Promise<never>(() => {}) });
  const body = async ({ run: { tool, spawn, join } }: ToolContext): Promise<JsonValue> => [
    (await tool('stuck', {})).error?.code ?? 'ok',
    (await join(spawn('stuck', {}))).error?.code ?? 'ok',
  ];
  const { result } = await run(body, { tools: [stuck], policy: { callTimeoutMs: 200, approvalTimeoutMs: 100 } });
  // The outer call waited twice as long as its own limit allows.
  assert.deepEqual(result.structured, ['E_CALL_TIMEOUT', 'E_CALL_TIMEOUT']);
});

test('a safe tool that may start early makes no calls of its own', async () => {
  const before = inner.calls.length;
  const { result } = await run(({ run: { tool } }) => tool('inner', {}), { tools: [inner] }, { risk: 'safe' });
  assert.equal(result.error?.code, 'E_TOOL_INVALID');
  assert.match(result.error.message, /outer must declare runAfterResponse/);
  assert.equal(inner.calls.length, before);
});

test('a call that has made calls is not repeated after a retryable error', async () => {
  let attempts = 0;
  const body = async ({ run: { tool } }: ToolContext): Promise<never> => {
    attempts++;
    await tool('inner', {});
    throw new KernelError('E_BUSY', 'busy', { retryable: true });
  };
  const { result } = await run(body, { tools: [inner] });
  assert.deepEqual([result.error?.code, attempts], ['E_BUSY', 1]);
});

test('calls that a tool starts run at once, and join returns their results', async () => {
  const both = recordingTool('both', { risk: 'safe', run: (args) => textResult(`${JSON.stringify(args['n'])} done`) });
  const { result } = await run(
    async ({ run: { spawn, join } }) => {
      const ids = [1, 2].map((n) => spawn('both', { n }));
      const results = await Promise.all(ids.map((id) => join(id)));
      const unknown = await join('other').catch((error: KernelError) => error.code);
      return [...results.map(({ text }) => text), unknown as string];
    },
    { tools: [both] },
  );
  assert.deepEqual(result.structured, ['1 done', '2 done', 'E_STATE_INVALID']);
});

test('ask returns the answer of a person, or nothing', async () => {
  const { result, elicitations } = await run(
    async ({ run: { ask } }) => [
      (await ask('Which?', { choices: ['a', 'b'] })) ?? 'none',
      (await ask('And then?')) ?? 'none',
    ],
    { answers: [{ action: 'accept', content: { answer: 'b' } }] },
  );
  assert.deepEqual(result.structured, ['b', 'none']);
  assert.equal(elicitations.length, 2);
});

test('ids of a call are those of the next attempt too, and differ within it', async () => {
  const seen: string[][] = [];
  const body = ({ run: { uuid } }: ToolContext): JsonValue => {
    seen.push([uuid(), uuid()]);
    if (seen.length === 1) throw new KernelError('E_BUSY', 'busy', { retryable: true });
    return null;
  };
  await run(body, { policy: { toolRetryDelayMs: 1 } });
  assert.equal(seen.length, 2);
  assert.deepEqual(seen[0], seen[1]);
  assert.equal(new Set(seen[0]).size, 2);
  assert.match(seen[0]?.[0] ?? '', /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

test('a model can be asked only inside an agent, and there are no jobs outside', async () => {
  const { result } = await run(
    async ({ run: { llm }, jobs }) =>
      [await llm({ prompt: 'Hi' }).catch((error: KernelError) => error.code), jobs === undefined] as JsonValue,
  );
  assert.deepEqual(result.structured, ['E_UNSUPPORTED', true]);
});

test('channels deliver messages in order, to one receiver each, and are bounded', async () => {
  const { result } = await run(async ({ channels }) => {
    const waiting = channels.receive('news');
    channels.send('news', { n: 1 });
    channels.send('news', { n: 2 });
    const got = [await waiting, await channels.receive('news')];
    const codeOf = (send: () => void): string => {
      try {
        send();
        return 'sent';
      } catch (error) {
        return (error as KernelError).code;
      }
    };
    for (let n = 0; n < 100; n++) channels.send('full', n);
    const aborted = await channels
      .receive('empty', { signal: AbortSignal.abort() })
      .catch((error: unknown) => isKernelError(error, 'E_CANCELLED'));
    return [
      ...got,
      aborted as boolean,
      codeOf(() => channels.send('full', 0)),
      codeOf(() => channels.send('news', 'x'.repeat(70_000))),
      codeOf(() => channels.send('news', new Map() as never)),
    ];
  });
  assert.deepEqual(result.structured, [
    { n: 1 },
    { n: 2 },
    true,
    'E_BUDGET_EXHAUSTED',
    'E_BUDGET_EXHAUSTED',
    'E_RESULT_NOT_JSON',
  ]);
});

test('the scratchpad keeps copies of JSON values, and refuses others and too many bytes', async () => {
  const { result } = await run(({ scratchpad }) => {
    const value = { list: [1] };
    scratchpad.set('a', value);
    value.list.push(2);
    const codes = [() => void 0, new Map(), 'x'.repeat(70_000)].map((each) => {
      try {
        scratchpad.set('b', each);
        return 'set';
      } catch (error) {
        return (error as KernelError).code;
      }
    });
    return [scratchpad.get('a') as JsonValue, ...codes, scratchpad.get('b') === undefined];
  });
  assert.deepEqual(result.structured, [
    { list: [1] },
    'E_RESULT_NOT_JSON',
    'E_RESULT_NOT_JSON',
    'E_BUDGET_EXHAUSTED',
    true,
  ]);
});

test('the scratchpad has at most 1 000 keys of 256 characters', async () => {
  const { result } = await run(({ scratchpad }) => {
    const codeOf = (key: string): string => {
      try {
        scratchpad.set(key, 1);
        return 'set';
      } catch (error) {
        return (error as KernelError).code;
      }
    };
    const codes = [codeOf('k'.repeat(257))];
    for (let n = 0; n < 1_000; n++) scratchpad.set(`key ${n}`, n);
    codes.push(codeOf('one more'), codeOf('key 1'));
    scratchpad.delete('key 0');
    return [...codes, codeOf('one more')];
  });
  assert.deepEqual(result.structured, ['E_BUDGET_EXHAUSTED', 'E_BUDGET_EXHAUSTED', 'set', 'set']);
});

test('a tool finds its folder, its agent, and the files of earlier calls', async () => {
  const image = recordingTool('image', {
    risk: 'safe',
    run: () => ({
      content: [{ type: 'image', mediaType: 'image/png', source: { kind: 'bytes', bytes: Uint8Array.of(1, 2, 3) } }],
      isError: false,
    }),
  });
  const body = async ({ run: { tool }, files, cwd, agent }: ToolContext): Promise<JsonValue> => {
    await tool('image', {});
    const [file] = files.list();
    const bytes = await files.read(file?.path ?? '');
    const missing = await files.read('/workspace/other').catch((error: KernelError) => error.code);
    return [cwd ?? null, agent ?? null, file?.mediaType ?? null, [...bytes], missing as string];
  };
  const { result, artifacts } = await run(body, {
    tools: [image],
    cwd: '/srv/shop',
    agent: 'clerk',
    artifactStore: createTestBlobs(),
  });
  assert.deepEqual(result.structured, ['/srv/shop', 'clerk', 'image/png', [1, 2, 3], 'E_BLOB_NOT_FOUND']);
  assert.equal(artifacts.length, 1);
});

test('runTool reports progress, a refusal and the record of a call', async () => {
  const tool = recordingTool('pay', {
    risk: 'high',
    run: (_args, { progress }) => {
      progress({ message: 'half', fraction: 0.5 });
      return textResult('paid');
    },
  });
  const paid = await runTool(tool, { cents: 5 });
  assert.deepEqual([paid.result.text, paid.progress], ['paid', [{ message: 'half', fraction: 0.5 }]]);
  assert.deepEqual([paid.record.status, paid.approvals[0]?.args], ['ok', { cents: 5 }]);
  const denied = await runTool(tool, {}, { approves: false });
  assert.deepEqual(
    [denied.record.status, denied.result.error?.code, tool.calls.length],
    ['denied', 'E_APPROVAL_DENIED', 1],
  );
});
