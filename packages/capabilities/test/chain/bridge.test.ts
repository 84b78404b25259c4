import { KernelError } from '@ravi/kernel';
import type { BridgeCall, Sandbox, SandboxOutcome, SandboxRequest } from '@ravi/kernel';
import { createFakeClock } from '@ravi/testkit';
import { expect, test } from 'vitest';
import { createHarness, freeTool } from './harness.ts';

/** Returns a sandbox whose guest is the test. */
function guest(act: (request: SandboxRequest) => Promise<Partial<SandboxOutcome>>): Sandbox {
  return {
    name: 'guest',
    supports: { languages: ['javascript'], isolation: 'none', limits: [], detectsDeadlock: false },
    run: async (request) =>
      ({ status: 'ok', durationMs: 0, consoleDroppedBytes: 0, ...(await act(request)) }) as SandboxOutcome,
    async [Symbol.asyncDispose]() {},
  };
}

const tools = [
  freeTool('echo', (args) => ({ ...args })),
  freeTool('mail', () => 'sent', { risk: 'high' }),
  freeTool('never', () => new Promise(() => {})),
];

/** Returns the reply of the bridge to a forged call, or its failure, and the trace. */
async function forge(call: BridgeCall) {
  let answer = '';
  const sandbox = guest(async (request) => {
    const { signal } = new AbortController();
    answer = await request
      .bridge(call, { signal })
      .catch((error: Error & { code?: string }) => `rejected ${error.code ?? ''} ${error.message}`);
    return {};
  });
  const result = await createHarness(sandbox, tools).run('return 1');
  return {
    answer,
    trace: result.callTrace.map(({ tool, status, errorCode }) => `${tool} ${status} ${errorCode ?? ''}`.trim()),
  };
}

const forged: readonly (readonly [name: string, call: BridgeCall, answer: RegExp, trace: readonly string[]])[] = [
  ['no arguments', { op: 'call', payload: 'echo' }, /"E_ARGUMENTS_INVALID"/, ['echo error E_ARGUMENTS_INVALID']],
  [
    'arguments that are not JSON',
    { op: 'call', payload: 'echo\n{"a":' },
    /"E_ARGUMENTS_INVALID"/,
    ['echo error E_ARGUMENTS_INVALID'],
  ],
  [
    'arguments that are not an object',
    { op: 'call', payload: 'echo\n[1]' },
    /"E_ARGUMENTS_INVALID"/,
    ['echo error E_ARGUMENTS_INVALID'],
  ],
  [
    'arguments that pollute prototypes',
    { op: 'call', payload: 'echo\n{"__proto__":{"x":1}}' },
    /"E_ARGUMENTS_INVALID"/,
    ['echo error E_ARGUMENTS_INVALID'],
  ],
  [
    'arguments nested without end',
    { op: 'call', payload: `echo\n{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}` },
    /"E_ARGUMENTS_INVALID".*are text that nests deeper than 256 levels/,
    ['echo error E_ARGUMENTS_INVALID'],
  ],
  [
    'arguments of too many values',
    { op: 'call', payload: `echo\n{"a":[${'{},'.repeat(300_000)}{}]}` },
    /"E_ARGUMENTS_INVALID".*are text that holds more than 262144 values/,
    ['echo error E_ARGUMENTS_INVALID'],
  ],
  [
    'arguments over the limit',
    { op: 'call', payload: `echo\n{"a":"${'x'.repeat(17_000_000)}"}` },
    /"E_ARGUMENTS_INVALID".*larger than \d+ bytes/,
    ['echo error E_ARGUMENTS_INVALID'],
  ],
  ['an empty name', { op: 'call', payload: '\n{}' }, /"E_TOOL_UNKNOWN"/, ['error E_TOOL_UNKNOWN']],
  [
    'an endless name',
    { op: 'call', payload: 'n'.repeat(1_000_000) },
    /"E_TOOL_UNKNOWN"/,
    [`${'n'.repeat(128)} error E_TOOL_UNKNOWN`],
  ],
  [
    'a name of every object',
    { op: 'call', payload: 'constructor\n{}' },
    /"E_TOOL_UNKNOWN"/,
    ['constructor error E_TOOL_UNKNOWN'],
  ],
  [
    'a risky tool',
    { op: 'safe', payload: 'mail\n{}' },
    /^\{"status":"denied".*E_APPROVAL_NO_HANDLER.*\n$/,
    ['mail denied E_APPROVAL_NO_HANDLER'],
  ],
  [
    'an unknown operation',
    { op: 'eval', payload: 'process.exit()' },
    /^rejected {2}The script called the host with an unknown operation$/,
    [],
  ],
  ['an artifact that is not there', { op: 'read-text', payload: 'nowhere\n0\n10' }, /^rejected E_BLOB_NOT_FOUND/, []],
  ['an artifact by a path', { op: 'read-bytes', payload: '../../etc/passwd\n0\n10' }, /^rejected E_BLOB_NOT_FOUND/, []],
  ['an invalid range', { op: 'read-text', payload: 'x\n-1\n1e99' }, /^rejected E_ARGUMENTS_INVALID/, []],
  ['a range of nothing', { op: 'read-bytes', payload: '' }, /^rejected E_BLOB_NOT_FOUND/, []],
];

for (const [name, call, answer, trace] of forged) {
  test(`a forged call only gets a reply: ${name}`, async () => {
    const seen = await forge(call);
    expect(seen.answer).toMatch(answer);
    expect(seen.trace).toEqual(trace);
  });
}

test('a value that is not JSON is the failure of the script', async () => {
  const { run } = createHarness(
    guest(async () => ({ value: '{"a":' })),
    tools,
  );
  expect(await run('return 1')).toMatchObject({ status: 'error', error: { code: 'E_RESULT_NOT_JSON' } });
});

test('console output over the limit is dropped even when the sandbox lets it through', async () => {
  const sandbox = guest(async (request) => {
    for (let index = 0; index < 100; index++) request.onConsole({ level: 'log', text: 'x'.repeat(1_000) });
    return { consoleDroppedBytes: 5 };
  });
  const { logs } = await createHarness(sandbox, tools).run('return 1', { maxConsoleBytes: 10_500 });
  expect(logs).toHaveLength(11);
  expect(logs.at(-1)?.text).toContain(`${90 * 1_001 + 5} bytes of console output were dropped`);
});

test('the sandbox receives the time spent waiting for a human, which ends with the decision', async () => {
  const clock = createFakeClock();
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<{ readonly decision: 'approved' }>();
  const waits: number[] = [];
  const sandbox = guest(async (request) => {
    const look = (): void => void waits.push(request.humanWaitMs?.() ?? -1);
    look();
    const call = request.bridge({ op: 'call', payload: 'mail\n{}' }, { signal: new AbortController().signal });
    await asked.promise;
    clock.advance(30_000);
    look();
    answer.resolve({ decision: 'approved' });
    await call;
    clock.advance(5_000);
    look();
    return {};
  });
  const approvalHandler = {
    request: () => {
      asked.resolve();
      return answer.promise;
    },
  };
  const { run } = createHarness(sandbox, tools, { clock, approvalHandler });
  expect((await run('return 1')).callTrace[0]?.status).toBe('ok');
  expect(waits).toEqual([0, 30_000, 30_000]);
});

test('a sandbox that cannot run is the fault of the host, and the session is closed', async () => {
  const sandbox = guest(() => Promise.reject(new KernelError('E_SANDBOX_UNAVAILABLE', 'no process')));
  await expect(createHarness(sandbox, tools).run('return 1')).rejects.toMatchObject({ code: 'E_SANDBOX_UNAVAILABLE' });
});

test('a crash of the sandbox is reported without internal details', async () => {
  const sandbox = guest(async () => ({ status: 'crashed', message: '/srv/node: signal SIGSEGV' }));
  const result = await createHarness(sandbox, tools).run('return 1');
  expect(result.error).toEqual({ code: 'E_SANDBOX_CRASHED', message: 'The sandbox process of the script crashed' });
});
