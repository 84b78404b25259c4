import assert from 'node:assert/strict';
import type { DurableChainRequest } from '@ravi/capabilities';
import type { Approval } from '@ravi/kernel';
import { createPyodideSandbox } from '@ravi/sandbox-pyodide';
import { composeSandboxes } from '@ravi/support';
import { afterAll, test } from 'vitest';
import { pending } from './decisions.ts';
import { createWorld, sandbox as javascript, valueTool } from './harness.ts';
import type { World } from './harness.ts';

const python = createPyodideSandbox({ poolSize: 1, maxProcesses: 2 });
const sandbox = composeSandboxes([javascript, python]);
afterAll(async () => {
  await python[Symbol.asyncDispose]();
  await javascript[Symbol.asyncDispose]();
});

const customers = ['ada', 'bob', 'cleo'];
let lists = 0;
const tools = [
  valueTool('list', () => {
    lists++;
    return customers;
  }),
];

const request = (code: string, more: Partial<DurableChainRequest> = {}): DurableChainRequest => ({
  code,
  runId: 'run-1',
  approvals: 'pause',
  approve: 'set',
  ...more,
});

async function asked(world: World): Promise<Approval> {
  const [approval, ...others] = await pending(world);
  assert.ok(approval, 'nothing is asked');
  assert.deepEqual(others, []);
  return approval;
}

async function decide({ store }: World, { request: { id } }: Approval, decision: 'approved' | 'denied'): Promise<void> {
  const made = await store.approvals.decide(id, { decision, approver: 'grace', decidedAt: Date.now() });
  assert.equal(made.status, 'done');
}

const loops = {
  javascript: `const sent = [];
    for (const to of await tools.list()) sent.push(await tools.send({ to, amount: 5, at: Math.random() }));
    return sent`,
  python: `import random
sent = []
for to in tools.list():
    sent.append(tools.send(to=to, amount=5, at=random.random()))
return sent`,
};

test.each(['javascript', 'python'] as const)(
  'a loop in %s is approved once, with all of its calls, and continues in another process without a second effect',
  async (language) => {
    await using world = await createWorld();
    lists = 0;
    {
      await using first = world.open({ sandbox, tools });
      const { status } = await first.chains.start(request(loops[language], { language }));
      assert.equal(status, 'paused');
    }
    const approval = await asked(world);
    assert.deepEqual(world.effects, []);
    const { tool, args, risk } = approval.request;
    assert.deepEqual([tool, risk], ['approve_calls', 'high']);
    const calls = args['calls'] as unknown as readonly { tool: string; risk: string; arguments: { to: string } }[];
    assert.deepEqual(
      calls.map((call) => [call.tool, call.risk, call.arguments.to]),
      customers.map((to) => ['send', 'high', to]),
    );
    await decide(world, approval, 'approved');
    {
      await using second = world.open({ sandbox, tools });
      const { status, value, outputText, callTrace } = await second.chains.resume('run-1');
      assert.equal(status, 'ok', outputText);
      assert.deepEqual(value, [1, 2, 3]);
      const sends = callTrace.filter((record) => record.tool === 'send');
      assert.deepEqual(
        sends.map((record) => [record.approval?.requestId, record.approval?.approver]),
        customers.map(() => [approval.request.id, 'grace']),
      );
    }
    assert.deepEqual(
      world.effects,
      calls.map((call) => `send ${JSON.stringify(call.arguments)}`),
    );
    assert.equal(lists, 1, 'the call without an effect was made in the dry run only');
  },
);

test('a set that is denied has no effect, and ends the run', async () => {
  await using world = await createWorld();
  await using first = world.open({ sandbox, tools });
  await first.chains.start(request(loops.javascript));
  await decide(world, await asked(world), 'denied');
  const { status, error } = await first.chains.resume('run-1');
  assert.deepEqual([status, error?.code], ['error', 'E_APPROVAL_DENIED']);
  assert.deepEqual(world.effects, []);
});

test('a call that depends on a result is asked for after it, and a call more than was approved asks again', async () => {
  await using world = await createWorld();
  await using first = world.open({ sandbox, tools });
  const code = `const one = await tools.send({ to: 'ada' });
    await tools.send({ to: 'bob' });
    if (one + 1 > 0) await tools.send({ to: 'ada' });
    return one`;
  await first.chains.start(request(code));
  const set = await asked(world);
  assert.match(set.request.description, /^Approves 2 calls of one script .*depends on their results/);
  await decide(world, set, 'approved');
  assert.equal((await first.chains.resume('run-1')).status, 'paused');
  assert.deepEqual(world.effects, ['send {"to":"ada"}', 'send {"to":"bob"}']);
  const third = await asked(world);
  assert.deepEqual([third.request.tool, third.request.args], ['send', { to: 'ada' }]);
  await decide(world, third, 'approved');
  assert.deepEqual((await first.chains.resume('run-1')).value, 1);
  assert.equal(world.effects.length, 3);
});

test('equal calls are counted: as many as were approved run, in any order', async () => {
  await using world = await createWorld();
  await using first = world.open({ sandbox, tools });
  const code = `await Promise.all(['ada', 'ada', 'bob'].map((to) => tools.send({ to }))); return 1`;
  await first.chains.start(request(code));
  const set = await asked(world);
  assert.deepEqual(set.request.args, {
    calls: [
      { tool: 'send', risk: 'high', times: 2, arguments: { to: 'ada' } },
      { tool: 'send', risk: 'high', arguments: { to: 'bob' } },
    ],
  });
  await decide(world, set, 'approved');
  assert.equal((await first.chains.resume('run-1')).status, 'ok');
  assert.equal(world.effects.length, 3);
});

test('arguments that differ from the dry run ask again, however they came to differ', async () => {
  await using world = await createWorld();
  let round = 0;
  const changing = valueTool('round', () => ++round, { risk: 'high' });
  await using first = world.open({ sandbox, tools: [...tools, changing] });
  // It finds out that the first result is unknown, and asks for something harmless.
  const code = `const round = await tools.round({});
    const isDry = typeof round === 'object';
    await tools.send({ to: isDry ? 'ada' : 'mallory' });
    return 1`;
  await first.chains.start(request(code));
  await decide(world, await asked(world), 'approved');
  assert.equal((await first.chains.resume('run-1')).status, 'paused');
  assert.deepEqual(world.effects, []);
  const own = await asked(world);
  assert.deepEqual([own.request.tool, own.request.args], ['send', { to: 'mallory' }]);
  await decide(world, own, 'denied');
  const { error } = await first.chains.resume('run-1');
  assert.equal(error?.code, 'E_APPROVAL_DENIED');
  assert.deepEqual(world.effects, []);
});

test('a tool that was changed after the dry run asks again', async () => {
  await using world = await createWorld();
  const wire = (description: string) =>
    valueTool('wire', (args) => world.effects.push(`wire ${JSON.stringify(args)}`), { risk: 'high', description });
  // A computed name, because a run does not continue if a tool that its text names has changed.
  const code = `await tools['wi' + 're']({ to: 'ada' }); return 1`;
  {
    await using first = world.open({ sandbox, tools: [wire('Sends money.')] });
    await first.chains.start(request(code));
  }
  await decide(world, await asked(world), 'approved');
  await using second = world.open({ sandbox, tools: [wire('Sends all money.')] });
  assert.equal((await second.chains.resume('run-1')).status, 'paused');
  assert.deepEqual(world.effects, []);
  assert.equal((await asked(world)).request.tool, 'wire');
});

test('a critical call is never part of a set, and a call that needs no approval is not made in the dry run', async () => {
  await using world = await createWorld();
  const erase = valueTool('erase', (args) => world.effects.push(`erase ${JSON.stringify(args)}`), { risk: 'critical' });
  await using first = world.open({ sandbox, tools: [erase] });
  const code = `await tools.send({ to: 'ada' }); await tools.erase({ all: true }); return 1`;
  await first.chains.start(request(code, { policy: { maxRiskUnapproved: 'high' } }));
  // Nothing is left to approve together, so the real run has begun.
  assert.deepEqual(world.effects, ['send {"to":"ada"}']);
  const own = await asked(world);
  assert.deepEqual([own.request.tool, own.request.risk], ['erase', 'critical']);
  await decide(world, own, 'approved');
  assert.equal((await first.chains.resume('run-1')).status, 'ok');
  assert.deepEqual(world.effects, ['send {"to":"ada"}', 'erase {"all":true}']);
});

const uses: readonly (readonly [use: string, code: string])[] = [
  ['a property', 'one.id'],
  ['text', '`${one}`'],
  ['JSON', 'JSON.stringify([one])'],
  ['its keys', 'Object.keys(one)'],
  ['in', `'id' in one`],
  ['a spread', '({ ...one })'],
  ['a loop', '[...one]'],
  ['an assignment', 'one.x = 1'],
  ['its prototype', 'Object.getPrototypeOf(one)'],
  ['a changed prototype', 'Object.setPrototypeOf(one, null)'],
  ['instanceof', 'one instanceof Array'],
  ['an argument', `await tools.send({ to: one })`],
  ['the arguments', `await tools.send(one)`],
  ['a caught use', 'try { one.id } catch { }'],
  ['a caught safe call', `await tools.send.safe({ to: one })`],
  ['a log line', 'console.log(JSON.stringify(one))'],
];

test.each(uses)('the dry run ends with the use of an unknown result: %s', async (_, code) => {
  await using world = await createWorld();
  await using first = world.open({ sandbox, tools });
  const script = `const one = await tools.send({ to: 'ada' });\n${code};\nawait tools.send({ to: 'after' }); return 1`;
  const { status, outputText } = await first.chains.start(request(script));
  assert.equal(status, 'paused', outputText);
  const { args } = (await asked(world)).request;
  assert.deepEqual(args, { calls: [{ tool: 'send', risk: 'high', arguments: { to: 'ada' } }] });
  assert.deepEqual(world.effects, []);
});

test('a script that fails in the dry run asks for nothing and has no effect', async () => {
  await using world = await createWorld();
  await using first = world.open({ sandbox, tools });
  const code = `await tools.send({ to: 'ada' }); throw new Error('no more')`;
  const { status, outputText, error } = await first.chains.start(request(code));
  assert.deepEqual([status, error?.code], ['error', 'E_SCRIPT_FAILED']);
  assert.match(outputText, /^The dry run failed, so no approval was asked for/);
  assert.deepEqual([await pending(world), world.effects], [[], []]);
});

test('more calls than one approval covers end the run with a clear error', async () => {
  await using world = await createWorld();
  await using first = world.open({ sandbox, tools });
  const code = `for (let n = 0; n < 10000; n++) await tools.send({ to: 'ada', n }); return 1`;
  const { status, error } = await first.chains.start(request(code, { policy: { maxScriptCalls: 20_000 } }));
  assert.deepEqual([status, error?.code], ['error', 'E_LIMIT_CALLS']);
  assert.match(error?.message ?? '', /more than 1000 calls that need approval/);
  assert.deepEqual([await pending(world), world.effects], [[], []]);
});

test('files of the dry run are those of the real run', async () => {
  await using world = await createWorld();
  let stores = 0;
  const { store } = world.blobs;
  world.blobs.store = (...args) => {
    stores++;
    return store(...args);
  };
  await using first = world.open({ sandbox, tools });
  const code = `const file = await artifacts.put('x', { name: 'x.txt' }); await tools.send({ to: 'ada', ref: file.ref }); return file`;
  await first.chains.start(request(code));
  await decide(world, await asked(world), 'approved');
  const { value, files } = await first.chains.resume('run-1');
  const [file] = files ?? [];
  assert.equal((value as { artifactRef?: string }).artifactRef, file?.artifactRef);
  assert.deepEqual(world.effects, [`send {"to":"ada","ref":"${file?.artifactRef}"}`]);
  assert.equal(stores, 1);
});
