import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { recordCodec } from '@ravi/sandbox-kit';
import { test } from 'vitest';
import { createFakeSandbox, requestOf, returned } from './support/fake-sandbox.ts';
import { closed, openRawClient, startOf } from './support/raw-client.ts';
import type { RawClient } from './support/raw-client.ts';
import { createTestWorld } from './support/test-world.ts';

const oversized = Buffer.from([0xff, 0xff, 0xff, 0x7f]);
const answer = recordCodec.encode('a', '1', 'x');

const mistakes: Readonly<Record<string, readonly (string | Buffer)[]>> = {
  'announces a frame of two gigabytes': [oversized],
  'sends a record of an unknown kind': ['?'],
  'replies before its script': [answer],
  'sends a description that is not JSON': [recordCodec.encode('s', '{', '', '')],
  'sends a description without limits': [recordCodec.encode('s', '{"language":"javascript","principal":"a"}', '', '')],
  'sends a limit that is not a number': [startOf('wait', { limits: { ...requestOf().limits, maxCalls: NaN } })],
  'sends a language that does not exist': [startOf('wait', { language: 'cobol' as never })],
  'sends a second script': [startOf('wait'), startOf('wait')],
  'sends a time that is not one': [startOf('wait'), recordCodec.encode('h', 'now', '1')],
};

for (const [name, frames] of Object.entries(mistakes)) {
  test(`a server that ${name} loses its run, and the node is well`, async () => {
    await using world = createTestWorld();
    const aborts: string[] = [];
    const sandbox = createFakeSandbox(({ code, signal }) => {
      if (code !== 'wait') return Promise.resolve(returned('1'));
      signal?.addEventListener('abort', () => aborts.push(code));
      return new Promise(() => {});
    });
    const node = await world.node(sandbox);
    using client = openRawClient(node.port, world.serverFiles);
    assert.equal(await closed(client.run(...frames)), constants.NGHTTP2_PROTOCOL_ERROR);
    while (node.health().runs > 0) await nextTurn();
    assert.equal(aborts.length, name.includes('second') || name.includes('time') ? 1 : 0);
    const other = await world.sandbox([node]);
    assert.equal((await other.run(requestOf())).status, 'ok');
    assert.ok(world.log.records.some(({ level, message }) => level === 'warn' && message === 'a run was ended'));
  });
}

test('a server that goes away without a word leaves no guest', async () => {
  await using world = createTestWorld();
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const sandbox = createFakeSandbox(({ signal }) => {
    signal?.addEventListener('abort', () => aborted.resolve());
    started.resolve();
    return new Promise(() => {});
  });
  const node = await world.node(sandbox);
  const client = openRawClient(node.port, world.serverFiles);
  client.run(startOf('wait'));
  await started.promise;
  client.session.destroy();
  await aborted.promise;
  while (node.health().runs > 0 || node.health().connections > 0) await nextTurn();
});

test('a server reads no run of another one: its files are not delivered there', async () => {
  await using world = createTestWorld();
  const node = await world.node(createFakeSandbox(() => new Promise(() => {})));
  using owner = openRawClient(node.port, world.serverFiles);
  using stranger = openRawClient(node.port, world.certificates.server('stranger', 'stranger.test'));
  const run = owner.run(startOf('wait'));
  const [headers] = (await once(run, 'response')) as [Record<string, string>];
  const upload = async ({ session }: RawClient): Promise<readonly unknown[]> => {
    const stream = session.request({ ':method': 'POST', ':path': `/files/${headers['ravi-run']}/0` });
    let status: number | undefined;
    stream.on('error', () => {});
    stream.on('response', (response) => (status = response[':status']));
    stream.resume().end('content');
    return [await closed(stream), status];
  };
  assert.deepEqual(await upload(stranger), [constants.NGHTTP2_NO_ERROR, 404]);
  // Its own run asked for no file.
  assert.deepEqual(await upload(owner), [constants.NGHTTP2_REFUSED_STREAM, undefined]);
  run.close();
});

test('runs of two servers with the same principal are those of two principals', async () => {
  await using world = createTestWorld();
  const principals: string[] = [];
  const sandbox = createFakeSandbox(async ({ principal }) => {
    principals.push(principal);
    return returned('1');
  });
  const node = await world.node(sandbox);
  const one = await world.sandbox([node]);
  const same = await world.sandbox([node]);
  const other = await world.sandbox([node], world.certificates.server('other', 'other.test'));
  for (const each of [one, same, other]) await each.run(requestOf({ principal: 'alice' }));
  assert.equal(principals[0], principals[1]);
  assert.notEqual(principals[0], principals[2]);
});
