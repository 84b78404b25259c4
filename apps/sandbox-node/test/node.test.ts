import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sandbox, SandboxOutcome, SandboxRequest } from '@ravi/kernel';
import { createRemoteSandbox } from '@ravi/sandbox-remote';
import { createTestCertificates, startTestNode } from '@ravi/sandbox-testing';
import type { TestNode } from '@ravi/sandbox-testing';
import { guestOf } from '@ravi/testkit/sandbox';
import type { GuestRun } from '@ravi/testkit/sandbox';
import { afterAll, test } from 'vitest';

const certificates = createTestCertificates();
const nodeFiles = certificates.node();
const serverFiles = certificates.server();

afterAll(() => certificates[Symbol.dispose]());

const start = (config: object = {}, port = 0): Promise<TestNode> =>
  startTestNode({ certificates, files: nodeFiles, config: { ...config }, port });

const connect = (nodes: readonly TestNode[], options: object = {}): Promise<Sandbox> =>
  createRemoteSandbox({ nodes: nodes.map(({ address }) => address), ...serverFiles, ...options });

interface WaitingRun {
  readonly run: Promise<GuestRun>;
  /** Replies to its only call. */
  reply(): void;
}

/** Begins a script that waits for the reply to a call. */
async function beginRun(sandbox: Sandbox, request: Partial<SandboxRequest> = {}): Promise<WaitingRun> {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<string>();
  const run = guestOf(sandbox, 'javascript').run('return call("x", "")', {
    bridge() {
      asked.resolve();
      return gate.promise;
    },
    ...request,
  });
  await asked.promise;
  return { run, reply: () => gate.resolve('done') };
}

function statusOf({ outcome }: GuestRun): SandboxOutcome['status'] {
  return outcome.status;
}

async function healthOf(node: TestNode): Promise<{ status: number; body: Record<string, unknown> }> {
  const { health } = node.log.find(({ message }) => message === 'the node is ready') ?? {};
  const response = await fetch(String(health));
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await pause(10);
}

test('a node that is killed during a run is a crash of the script; the next one runs on the other node', async () => {
  await using one = await start({ health: { port: 0 } });
  await using two = await start({ health: { port: 0 } });
  await using sandbox = await connect([one, two]);
  const { run } = await beginRun(sandbox, { principal: 'alice' });
  const [owner, other] = (await healthOf(one)).body['runs'] === 1 ? [one, two] : [two, one];
  owner.kill('SIGKILL');
  assert.equal(statusOf(await run), 'crashed');
  assert.equal(await guestOf(sandbox, 'javascript').value('return 7', { principal: 'alice' }), 7);
  assert.equal((await healthOf(other)).status, 200);
});

test('a node that stops responding is lost, and its run has crashed', async () => {
  await using node = await start();
  await using sandbox = await connect([node], { pingIntervalMs: 200 });
  const { run } = await beginRun(sandbox);
  node.kill('SIGSTOP');
  const { outcome } = await run;
  node.kill('SIGCONT');
  assert.equal(outcome.status, 'crashed');
  assert.equal(await guestOf(sandbox, 'javascript').value('return 7'), 7);
});

test('guests of a server that goes away are ended', { skip: process.platform !== 'linux' }, async () => {
  await using node = await start({ sandbox: { use: '@ravi/sandbox-isolated-vm', poolSize: 0 } });
  const sandbox = await connect([node]);
  const { run } = await beginRun(sandbox);
  assert.equal(node.guests().length, 1);
  await sandbox[Symbol.asyncDispose]();
  assert.equal(statusOf(await run), 'crashed');
  await until(() => node.guests().length === 0);
});

test('an aborted run ends its guest on the node', { skip: process.platform !== 'linux' }, async () => {
  await using node = await start({ sandbox: { use: '@ravi/sandbox-isolated-vm', poolSize: 0 } });
  await using sandbox = await connect([node]);
  const controller = new AbortController();
  const { run } = await beginRun(sandbox, { signal: controller.signal });
  controller.abort();
  assert.equal(statusOf(await run), 'cancelled');
  await until(() => node.guests().length === 0);
});

test('SIGTERM lets scripts end, refuses new ones, and ends the node with code 0', async () => {
  await using one = await start({ health: { port: 0 } });
  await using sandbox = await connect([one]);
  const { run, reply } = await beginRun(sandbox);
  const before = await healthOf(one);
  assert.deepEqual([before.status, before.body['status'], before.body['runs']], [200, 'ok', 1]);
  one.kill('SIGTERM');
  await until(async () => (await healthOf(one)).status === 503);
  await assert.rejects(guestOf(sandbox, 'javascript').run('return 1'), /shutting down|draining/);
  reply();
  assert.equal(statusOf(await run), 'ok');
  assert.equal(await one.exited, 0);
  const messages = one.log.map(({ message }) => message);
  assert.ok(messages.includes('the node shuts down'), JSON.stringify(messages));
});

test('scripts that do not end in time are ended', async () => {
  await using node = await start({ drainTimeoutMs: 100 });
  await using sandbox = await connect([node]);
  const { run } = await beginRun(sandbox);
  node.kill('SIGTERM');
  assert.equal(statusOf(await run), 'crashed');
  assert.equal(await node.exited, 0);
  assert.ok(node.log.some(({ message, runs }) => message === 'scripts are ended that still run' && runs === 1));
});

test('a second signal ends the node at once', async () => {
  await using node = await start({ drainTimeoutMs: 600_000 });
  await using sandbox = await connect([node]);
  const { run } = await beginRun(sandbox);
  node.kill('SIGTERM');
  await until(() => node.log.some(({ message }) => message === 'the node shuts down'));
  node.kill('SIGINT');
  assert.equal(await node.exited, 130);
  assert.equal(statusOf(await run), 'crashed');
});

test(
  'SIGHUP reads the certificates again; broken ones are logged and not used',
  { skip: process.platform === 'win32' },
  async () => {
    const files = certificates.node('renewed');
    await using node = await startTestNode({ certificates, files });
    certificates.node('renewed', 'DNS:elsewhere.test');
    node.kill('SIGHUP');
    await until(() => node.log.some(({ message }) => message === 'the certificates were read again'));
    await assert.rejects(connect([node], { connectTimeoutMs: 400 }), /a certificate that is not for 127\.0\.0\.1/);
    certificates.node('renewed', undefined, -1);
    node.kill('SIGHUP');
    await until(() => node.log.some(({ message }) => message === 'the certificates were not replaced'));
    await assert.rejects(connect([node], { connectTimeoutMs: 400 }), /a certificate that is not for 127\.0\.0\.1/);
  },
);

test('the log has the form of the log of a server, and neither code nor values nor keys', async () => {
  await using node = await start({ logLevel: 'debug' });
  {
    await using sandbox = await connect([node]);
    const secret = 'sesame-in-the-script';
    const request = { principal: 'sesame-principal', bridge: async () => 'sesame-in-the-reply' };
    await guestOf(sandbox, 'javascript').run(
      `console.log('${secret}'); await call('x', '${secret}'); throw '${secret}'`,
      request,
    );
  }
  await until(() => node.log.some(({ message }) => message === 'a server has disconnected'));
  for (const record of node.log) {
    assert.match(String(record['time']), /^\d{4}-\d\d-\d\dT/);
    assert.match(String(record['level']), /^(debug|info|warn|error)$/);
    assert.equal(typeof record['message'], 'string');
  }
  const all = JSON.stringify(node.log);
  assert.doesNotMatch(all, /sesame/);
  const [, key = ''] = /-----\n(\w{20})/.exec(readFileSync(nodeFiles.key, 'latin1')) ?? [];
  assert.ok(key.length === 20 && !all.includes(key));
});
