import assert from 'node:assert/strict';
import { sha256OfJson } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';
import type { Run, RunClaim, CompleteStateStore, Tool } from '@ravi/kernel';
import { createFakeClock } from '@ravi/testkit';
import type { FakeClock } from '@ravi/testkit';
import { afterAll, test } from 'vitest';
import { createWorld, forgetProcesses, sandbox, valueTool } from './harness.ts';
import type { ProcessOptions, World } from './harness.ts';

afterAll(() => sandbox[Symbol.asyncDispose]());

const unasked = { maxRiskUnapproved: 'high' } as const;

test('an interrupted run resumes in another process: nothing is done twice, and the result is the same', async () => {
  await using world = await createWorld();
  const held = Promise.withResolvers<void>();
  const code = `
    const begun = [Date.now(), Math.random()];
    await tools.send({ to: 'a' });
    await sleep(5);
    const [first, second] = await Promise.all([tools.put({ key: 1 }), tools.count({})]);
    await tools.hold({});
    await tools.send({ to: 'b' });
    return { begun, first, second, now: Date.now(), random: Math.random() };
  `;
  const first = world.open({
    policy: unasked,
    tools: [
      valueTool(
        'hold',
        () => {
          held.resolve();
          return new Promise(() => {});
        },
        { risk: 'safe' },
      ),
    ],
  });
  const cut = first.chains.start({ code, runId: 'run-1' });
  await held.promise;
  await first[Symbol.asyncDispose]();
  await assert.rejects(cut, (error) => isKernelError(error, 'E_RUN_SUSPENDED'));
  assert.deepEqual(world.effects.toSorted(), ['count {}', 'put {"key":1}', 'send {"to":"a"}']);

  await using second = world.open({ policy: unasked, tools: [valueTool('hold', () => 'on', { risk: 'safe' })] });
  const result = await second.chains.resume('run-1');
  assert.equal(result.status, 'ok', result.outputText);
  assert.deepEqual(world.effects.slice(3), ['send {"to":"b"}']);
  assert.deepEqual(
    result.callTrace.map(({ tool, status }) => `${tool} ${status}`),
    ['send ok', 'put ok', 'count ok', 'hold ok', 'send ok'],
  );
  const run = await world.store.runs.get('run-1');
  assert.equal(run?.status, 'completed');
  assert.deepEqual(await second.chains.resume('run-1'), JSON.parse(JSON.stringify(result)));
});

/** Runs a script until a call of `hang` is in progress, and ends the process. */
async function cutOff(
  world: World,
  code: string,
  tools: readonly Tool[] = [],
  more: ProcessOptions = {},
): Promise<void> {
  const reached = Promise.withResolvers<void>();
  const hang = (): Promise<never> => {
    reached.resolve();
    return new Promise(() => {});
  };
  const { idempotent = false } = tools.find(({ name }) => name === 'hang') ?? {};
  const process = world.open({
    policy: unasked,
    ...more,
    tools: [...tools, valueTool('hang', hang, { risk: 'high', idempotent })],
  });
  const cut = process.chains.start({ code, runId: 'run-1' });
  cut.catch(() => {});
  await Promise.race([reached.promise, cut.then(({ outputText }) => assert.fail(outputText))]);
  await process[Symbol.asyncDispose]();
}

const hangDone = (effects: string[], more: Partial<Tool> = {}): Tool =>
  valueTool('hang', () => effects.push('hang'), { risk: 'high', ...more });

test('a call that had started is not repeated: the script learns that its outcome is unknown, and may continue', async () => {
  await using world = await createWorld();
  const code = `
    try { await tools.hang({ to: 'a' }); } catch (error) { return [error.name, error.code, error.message]; }
  `;
  await cutOff(world, code);
  for (let round = 0; round < 2; round++) {
    await using process = world.open({ policy: unasked, tools: [hangDone(world.effects)] });
    const result = await process.chains.resume('run-1');
    const [name, code, message] = result.value as readonly string[];
    assert.deepEqual([name, code], ['ToolError', 'E_CALL_UNKNOWN']);
    assert.match(message ?? '', /hang was running when the process ended/);
    assert.deepEqual(
      result.callTrace.map(({ status }) => status),
      ['unknown'],
    );
    assert.deepEqual(world.effects, []);
  }
});

test('an unknown outcome stays unknown in every later replay, even if another call follows', async () => {
  await using world = await createWorld();
  const code = `
    const first = await tools.hang.safe({});
    await tools.put({ key: first.error.code });
    await tools.stop({});
    return first.error.code;
  `;
  await cutOff(world, code);
  const stopped = Promise.withResolvers<void>();
  const holding = (): Promise<never> => {
    stopped.resolve();
    return new Promise(() => {});
  };
  const stop = valueTool('stop', holding, { risk: 'safe' });
  const second = world.open({ policy: unasked, tools: [hangDone(world.effects), stop] });
  const cut = second.chains.resume('run-1');
  await stopped.promise;
  await second[Symbol.asyncDispose]();
  await assert.rejects(cut);
  await using third = world.open({
    policy: unasked,
    tools: [hangDone(world.effects), valueTool('stop', () => 1, { risk: 'safe' })],
  });
  assert.equal((await third.chains.resume('run-1')).value, 'E_CALL_UNKNOWN');
  assert.deepEqual(world.effects, ['put {"key":"E_CALL_UNKNOWN"}']);
});

test('an idempotent call that had started is made again, with the same key', async () => {
  await using world = await createWorld();
  await cutOff(world, 'return tools.hang({})', [hangDone([], { idempotent: true })]);
  const keys: string[] = [];
  const again: Tool = {
    ...hangDone(world.effects, { idempotent: true }),
    async execute(_args, { idempotencyKey }) {
      keys.push(idempotencyKey);
      return { content: [], isError: false, structuredContent: 'done' };
    },
  };
  await using process = world.open({ policy: unasked, tools: [again] });
  const result = await process.chains.resume('run-1');
  assert.deepEqual([result.value, keys], ['done', ['run-1:call_1']]);
  const { items } = await world.store.journal.entries('run-1');
  const [call] = items.filter((item) => item.type === 'call');
  assert.deepEqual([call?.entry.attempt, call?.status], [2, 'finished']);
});

test('a script that diverges is stopped before it has an effect, with an error that names the place', async () => {
  const ways = [
    ['send', 'another tool', /request 1 the recorded request is put\(\{"key":1\}\), and this time it requested send/],
    [
      'put',
      'other arguments',
      /request 1 the recorded request is put\(\{"key":1\}\), and this time it requested the same tool with other/,
    ],
    ['none', 'no call', /request 1 the recorded request is put\(\{"key":1\}\), and this time it did not make it/],
    ['wake', 'a wake', /request 1 the recorded request is put\(\{"key":1\}\), and this time it requested a timer/],
  ] as const;
  for (const [way, , message] of ways) {
    await using world = await createWorld();
    const clock = createFakeClock();
    // A script cannot read anything that differs between two runs, so its stored code is changed instead.
    const code = `
      const way = input.way;
      if (way === 'put') await tools.put({ key: 2 }).catch(() => {});
      else if (way === 'send') await tools.send({ key: 1 }).catch(() => {});
      else if (way === 'wake') await sleep(1);
      else if (way === 'none') return;
      else await tools.put({ key: 1 });
      await tools.send({ to: 'b' });
      await tools.hang({});
    `;
    await cutOff(world, code.replace('input.way', "'first'"));
    const changed = changeCode(world, code.replace('input.way', `'${way}'`));
    await using process = world.open({ policy: unasked, clock, tools: [hangDone(world.effects)], store: changed });
    const resumed = process.chains.resume('run-1');
    const result = await advanceUntil(clock, resumed);
    assert.deepEqual([result.status, result.error?.code], ['error', 'E_RUN_DIVERGED'], way);
    assert.match(result.error?.message ?? '', message);
    assert.deepEqual(world.effects, ['put {"key":1}', 'send {"to":"b"}']);
    assert.equal((await world.store.runs.get('run-1'))?.status, 'failed');
  }
});

test('a call that was held back when the script diverged ends with it', async () => {
  await using world = await createWorld();
  const wire = valueTool('wire', () => world.effects.push('wire'), { risk: 'critical' });
  const code = (key: number): string =>
    `const wired = tools.wire({}); await tools.put({ key: ${key} }); await tools.hang({}); await wired;`;
  await cutOff(world, code(1), [wire]);
  await using process = world.open({
    policy: unasked,
    store: changeCode(world, code(2)),
    tools: [wire, hangDone(world.effects)],
    approvalHandler: { request: async () => ({ decision: 'approved' }) },
  });
  const result = await process.chains.resume('run-1');
  assert.deepEqual([result.error?.code, result.error?.line], ['E_RUN_DIVERGED', 1]);
  assert.deepEqual(world.effects, ['put {"key":1}']);
  assert.deepEqual(
    result.callTrace.map(({ tool, status }) => `${tool} ${status}`),
    ['wire cancelled'],
  );
});

test('a run whose script or tools have changed waits, names them, and completes once they match again', async () => {
  await using world = await createWorld();
  await cutOff(
    world,
    'await tools.put({ key: 1 }); await tools[`cou${"nt"}`]({}); await tools.hang({}).catch(() => {});',
  );
  const put = valueTool('put', () => world.effects.push('changed'), { risk: 'high', description: 'Puts elsewhere.' });
  const count = valueTool('count', () => world.effects.push('changed'), { risk: 'safe', description: 'Counts more.' });
  {
    await using process = world.open({ policy: unasked, tools: [put, count, hangDone(world.effects)] });
    assert.equal(process.chains.hasChanged('run-1'), false);
    const result = await process.chains.resume('run-1');
    assert.deepEqual([result.status, result.error?.code], ['paused', 'E_RUN_CHANGED']);
    assert.match(result.error?.message ?? '', /changed: the tool put, the tool count$/);
    assert.equal(process.chains.hasChanged('run-1'), true);
  }
  const row = await world.store.runs.get('run-1');
  assert.deepEqual([row?.status, row?.outcome, row?.owner, world.effects.length], ['blocked', undefined, undefined, 2]);
  assert.deepEqual(row?.block?.needs, [
    { kind: 'tool', name: 'put', state: 'changed' },
    { kind: 'tool', name: 'count', state: 'changed' },
  ]);
  await using restored = world.open({ policy: unasked, tools: [hangDone(world.effects)] });
  assert.equal((await restored.chains.resume('run-1')).status, 'ok');
  assert.equal((await world.store.runs.get('run-1'))?.status, 'completed');

  await using other = await createWorld();
  await cutOff(other, 'await tools.hang({});');
  const store = changeCode(other, 'await tools.hang({}); //', 'the digest of before');
  await using second = other.open({ policy: unasked, store });
  assert.match((await second.chains.resume('run-1')).outputText, /its script/);
});

test('a tool that now needs approval is not run without it, even if it was allowed when the run started', async () => {
  await using world = await createWorld();
  await cutOff(world, 'await tools.count({}); await tools.hang({}).catch(() => {}); await tools.send({ to: "b" })');
  await using process = world.open({
    tools: [hangDone(world.effects)],
    approvalHandler: { request: async () => ({ decision: 'denied', reason: 'not today' }) },
  });
  const result = await process.chains.resume('run-1');
  assert.equal(result.error?.code, 'E_APPROVAL_DENIED');
  assert.deepEqual(world.effects, ['count {}']);
});

test('one process resumes a run, and others get a conflict; an unknown run is not found', async () => {
  await using world = await createWorld();
  const begun = Promise.withResolvers<void>();
  const hang = valueTool('hang', () => {
    begun.resolve();
    return new Promise(() => {});
  });
  await using first = world.open({ policy: unasked, tools: [hang] });
  const running = first.chains.start({ code: 'await tools.hang({})', runId: 'run-1' });
  running.catch(() => {});
  await begun.promise;
  await using second = world.open();
  await assert.rejects(
    async () => {
      while (true) await second.chains.resume('run-1');
    },
    (error) => isKernelError(error, 'E_STATE_CONFLICT'),
  );
  await assert.rejects(second.chains.resume('run-2'), (error) => isKernelError(error, 'E_RUN_NOT_FOUND'));
});

test('a process that lost its run stops, and nothing that it still does is recorded', async () => {
  await using world = await createWorld();
  const clock = createFakeClock();
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<string>();
  await using first = world.open({
    clock,
    policy: unasked,
    tools: [
      valueTool(
        'hang',
        () => {
          begun.resolve();
          return held.promise;
        },
        { risk: 'high' },
      ),
    ],
  });
  const slow = first.chains.start({ code: 'return (await tools.hang.safe({})).status', runId: 'run-1' });
  slow.catch(() => {});
  await begun.promise;
  await forgetProcesses(world);
  await using second = world.open({ policy: unasked, tools: [hangDone(world.effects)] });
  const result = await second.chains.resume('run-1');
  assert.equal(result.callTrace[0]?.status, 'unknown');
  held.resolve('too late');
  await assert.rejects(slow, (error) => isKernelError(error, 'E_STATE_CONFLICT'));
  assert.equal((await world.store.runs.get('run-1'))?.status, 'completed');
});

test('a cancelled run has ended, and a run whose process ends has not', async () => {
  await using world = await createWorld();
  const abort = new AbortController();
  const begun = Promise.withResolvers<void>();
  const hang = valueTool('hang', () => {
    begun.resolve();
    return new Promise(() => {});
  });
  await using process = world.open({ policy: unasked, tools: [hang] });
  const run = process.chains.start({ code: 'await tools.hang({})', runId: 'run-1', signal: abort.signal });
  await begun.promise;
  abort.abort();
  assert.equal((await run).status, 'cancelled');
  assert.equal((await world.store.runs.get('run-1'))?.status, 'cancelled');
});

test('artifacts of a run stay pinned while it is interrupted, and are released at its end', async () => {
  await using world = await createWorld();
  const large = valueTool('large', () => 'x'.repeat(100_000));
  await cutOff(
    world,
    `
    const text = await tools.large({});
    await tools.hang.safe({});
    return text.length;
  `,
    [large],
  );
  const refs = (await world.store.journal.entries('run-1')).items.flatMap((item) =>
    item.type === 'call' && item.result?.artifactRef !== undefined ? [item.result.artifactRef] : [],
  );
  assert.equal(refs.length, 1);
  assert.equal((await world.blobs.stat(refs[0]!))?.pins, 1);
  await world.blobs.sweep(Date.now());
  await using process = world.open({ policy: unasked, tools: [large, hangDone(world.effects)] });
  assert.equal((await process.chains.resume('run-1')).value, 100_000);
  assert.equal((await world.blobs.stat(refs[0]!))?.pins, 0);
});

test('a language that cannot be replayed is refused before anything is stored', async () => {
  await using world = await createWorld();
  await using process = world.open();
  const start = process.chains.start({ code: 'tools.count()', language: 'python', runId: 'run-1' });
  await assert.rejects(start, (error) => isKernelError(error, 'E_UNSUPPORTED'));
  assert.equal(await world.store.runs.get('run-1'), undefined);
});

/** Returns the world's store, as if the run had started with another script. */
function changeCode({ store }: World, code: string, scriptDigest = digestOf(code)): CompleteStateStore {
  const change = (run: Run | undefined): Run | undefined =>
    run && { ...run, definition: { ...run.definition, code, scriptDigest } };
  const runs = {
    ...store.runs,
    get: async (id: string) => change(await store.runs.get(id)),
    claim: async (id: string, claim: RunClaim) => change(await store.runs.claim(id, claim)),
  };
  return { ...store, runs };
}

function digestOf(code: string): string {
  return sha256OfJson({ code, language: 'javascript', input: null, protocol: 1 });
}

async function advanceUntil<Value>(clock: FakeClock, promise: Promise<Value>): Promise<Value> {
  let isOver = false;
  const watched = promise.finally(() => (isOver = true));
  while (!isOver) {
    await new Promise(setImmediate);
    clock.advance(50);
  }
  return watched;
}
