import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { KernelError } from '@ravi/kernel';
import type { Sandbox, SandboxOutcome, SandboxRequest } from '@ravi/kernel';
import { test } from 'vitest';
import type { SandboxNode } from '../src/index.ts';
import { createFakeSandbox, fakeSupport, requestOf, returned } from './support/fake-sandbox.ts';
import { addressOf, createTestWorld } from './support/test-world.ts';
import type { TestWorld } from './support/test-world.ts';

const principals = Array.from({ length: 40 }, (_, index) => `user:${index}`);

/** A node whose scripts return its name. */
const named = (world: TestWorld, name: string, options?: object): Promise<SandboxNode> =>
  world.node(
    createFakeSandbox(async () => returned(name)),
    options,
  );

/** Returns which node served each principal. */
async function owners(sandbox: Sandbox): Promise<ReadonlyMap<string, string | undefined>> {
  const served = new Map<string, string | undefined>();
  for (const principal of principals) served.set(principal, valueOf(await sandbox.run(requestOf({ principal }))));
  return served;
}

function valueOf(outcome: SandboxOutcome): string | undefined {
  return outcome.status === 'ok' ? outcome.value : undefined;
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await nextTurn();
}

test('each principal keeps its node; the share of a lost node moves, and comes back with it', async () => {
  await using world = createTestWorld();
  const one = await named(world, 'one');
  const two = await named(world, 'two');
  const sandbox = await world.sandbox([one, two]);
  await until(() => two.health().connections + one.health().connections === 2);
  await until(async () => new Set((await owners(sandbox)).values()).size === 2);
  const before = await owners(sandbox);
  assert.deepEqual(await owners(sandbox), before);
  await two[Symbol.asyncDispose]();
  assert.deepEqual(new Set((await owners(sandbox)).values()), new Set(['one']));
  const back = await named(world, 'two', { port: two.port });
  await until(() => back.health().connections === 1);
  await until(async () => Array.from((await owners(sandbox)).values()).includes('two'));
  assert.deepEqual(await owners(sandbox), before);
});

/** A node whose scripts make one call and return the reply. */
const calling = (world: TestWorld, options?: object): Promise<SandboxNode> =>
  world.node(
    createFakeSandbox(async ({ bridge, signal }) =>
      returned(await bridge({ op: 'x', payload: '1' }, { signal: signal as AbortSignal })),
    ),
    options,
  );

test('a node that is lost during a run is a crash of this run, its calls are aborted, and the next run is well', async () => {
  await using world = createTestWorld();
  const node = await calling(world);
  const sandbox = await world.sandbox([node]);
  const asked = Promise.withResolvers<AbortSignal>();
  const bridge: SandboxRequest['bridge'] = (_call, { signal }) => {
    asked.resolve(signal);
    return new Promise(() => {});
  };
  const run = sandbox.run(requestOf({ bridge }));
  const signal = await asked.promise;
  await node[Symbol.asyncDispose]();
  const outcome = await run;
  assert.equal(outcome.status, 'crashed');
  assert.match(
    'message' in outcome ? outcome.message : '',
    /The sandbox node 127\.0\.0\.1:\d+ was lost during the run/,
  );
  assert.equal(signal.aborted, true);
  assert.ok(world.log.messages('warn').includes('a script has crashed'));
  const back = await named(world, 'back', { port: node.port });
  assert.equal(valueOf(await sandbox.run(requestOf())), 'back');
  assert.equal(back.health().connections, 1);
});

test('a run whose node is lost before it began waits for a node', async () => {
  await using world = createTestWorld();
  const node = await named(world, 'before');
  const sandbox = await world.sandbox([node]);
  const closing = node[Symbol.asyncDispose]();
  // The connection is not known to be lost yet.
  const run = sandbox.run(requestOf());
  await closing;
  await named(world, 'after', { port: node.port });
  assert.equal(valueOf(await run), 'after');
});

test('a full node refuses a run, and the next node takes it; if all are full, the error names them', async () => {
  await using world = createTestWorld();
  const busy = (): Sandbox => createFakeSandbox(() => new Promise(() => {}));
  const nodes = [await world.node(busy(), { maxRuns: 1 }), await world.node(busy(), { maxRuns: 1 })];
  const sandbox = await world.sandbox(nodes);
  await until(() => nodes.every((node) => node.health().connections === 1));
  // The report of a node arrives after its connection.
  const other = await world.sandbox(nodes);
  const first = sandbox.run(requestOf());
  await until(() => nodes.some((node) => node.health().runs === 1));
  // A server that does not know that the node is full.
  const second = other.run(requestOf());
  await until(() => nodes.every((node) => node.health().runs === 1));
  await assert.rejects(sandbox.run(requestOf()), (error: Error & { code?: string; retryable?: boolean }) => {
    assert.deepEqual([error.code, error.retryable], ['E_SANDBOX_UNAVAILABLE', true]);
    for (const node of nodes) assert.ok(error.message.includes(addressOf(node)), error.message);
    assert.match(error.message, /full \(maxRuns: 1\)|no place for another run/);
    return true;
  });
  await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
  assert.deepEqual([(await first).status, (await second).status], ['crashed', 'crashed']);
});

test('a node that shuts down ends its runs and gets no new ones', async () => {
  await using world = createTestWorld();
  const gate = Promise.withResolvers<void>();
  const slow = await world.node(createFakeSandbox(() => gate.promise.then(() => returned('slow'))));
  const sandbox = await world.sandbox([slow]);
  const run = sandbox.run(requestOf());
  await until(() => slow.health().runs === 1);
  assert.equal(await slow.drain(1), false);
  await assert.rejects(sandbox.run(requestOf()), /shutting down|draining/);
  const drained = slow.drain(60_000);
  gate.resolve();
  assert.equal(await drained, true);
  assert.equal(valueOf(await run), 'slow');
});

test('a refusal by the sandbox of a node is passed on, or tried elsewhere', async () => {
  await using world = createTestWorld();
  const broken = createFakeSandbox(async () => {
    throw new KernelError('E_SANDBOX_UNAVAILABLE', 'no process starts', { retryable: true });
  });
  const picky = createFakeSandbox(async () => {
    throw new KernelError('E_UNSUPPORTED', 'not this');
  });
  const alone = await world.sandbox([await world.node(broken)]);
  await assert.rejects(alone.run(requestOf()), /no process starts/);
  await assert.rejects((await world.sandbox([await world.node(picky)])).run(requestOf()), { code: 'E_UNSUPPORTED' });
  const well = await named(world, 'well');
  const both = await world.sandbox([await world.node(broken), well]);
  await until(() => well.health().connections === 1);
  await until(async () => (await owners(both).catch(() => new Map())).size === principals.length);
});

test('a node that supports less than the first one is left out', async () => {
  await using world = createTestWorld();
  const full = await named(world, 'full');
  const sandbox = await world.sandbox([full]);
  assert.deepEqual(sandbox.supports, fakeSupport);
  const lesser = { ...fakeSupport, limits: fakeSupport.limits.filter((limit) => limit !== 'memory') };
  const less = await world.node(
    createFakeSandbox(async () => returned('less'), lesser),
    {},
  );
  const mixed = await world.sandbox([full]);
  assert.equal(valueOf(await mixed.run(requestOf())), 'full');
  await full[Symbol.asyncDispose]();
  // The same address, another sandbox: the run waits for one that supports what was promised.
  await less[Symbol.asyncDispose]();
  await world.node(
    createFakeSandbox(async () => returned('less'), lesser),
    { port: full.port },
  );
  await until(() =>
    world.log.records.some(({ fields }) => String(fields?.['reason']).includes('it lacks limits memory')),
  );
});

test('without any node the sandbox is not created, and the error names each node and its reason', async () => {
  await using world = createTestWorld();
  const gone = await named(world, 'gone');
  await gone[Symbol.asyncDispose]();
  await assert.rejects(
    world.sandbox([gone, 'sandbox.invalid:1'], { connectTimeoutMs: 500 }),
    (error: Error & { code?: string; retryable?: boolean }) => {
      assert.deepEqual([error.code, error.retryable], ['E_SANDBOX_UNAVAILABLE', true]);
      assert.ok(error.message.includes(`${addressOf(gone)} refused the connection (ECONNREFUSED)`), error.message);
      assert.match(error.message, /sandbox\.invalid:1 /);
      return true;
    },
  );
});

test('a server opens one connection, however many runs it has, and a node accepts so many only', async () => {
  await using world = createTestWorld();
  const node = await calling(world, { maxConnections: 1 });
  const sandbox = await world.sandbox([node]);
  const runs = Array.from({ length: 300 }, () => sandbox.run(requestOf()));
  assert.ok((await Promise.all(runs)).every(({ status }) => status === 'ok'));
  assert.equal(node.health().connections, 1);
  await assert.rejects(world.sandbox([node], { connectTimeoutMs: 500 }), /closed the connection|did not respond/);
});

for (const [entry, message] of [
  ['sandbox-1', /"sandbox-1" is not host:port/],
  ['sandbox-1:0', /"sandbox-1:0" is not host:port, with a port from 1 to 65535/],
  ['sandbox-1:70000', /70000/],
] as const) {
  test(`the address ${entry} is refused`, async () => {
    await using world = createTestWorld();
    await assert.rejects(world.sandbox([entry]), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'E_CONFIG_INVALID');
      return message.test(error.message);
    });
  });
}

test('a node that is listed twice is refused', async () => {
  await using world = createTestWorld();
  await assert.rejects(world.sandbox(['a:1', 'b:1', 'a:1']), /nodes: a:1 is listed twice/);
});
