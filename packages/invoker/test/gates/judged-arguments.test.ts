import assert from 'node:assert/strict';
import type { ArtifactStream, InterceptedCall, JsonObject, ToolInterceptor } from '@ravi/kernel';
import { createTestApprovals, createTestBlobs, settle } from '@ravi/testkit';
import { test } from 'vitest';
import { createHarness } from '../support/harness.ts';
import type { HarnessOptions } from '../support/harness.ts';
import { recordingTool } from '../support/tools.ts';

const own = { principal: 'ada', sessionId: 'session' };

/** A transfer that an interceptor or a guard denies by its recipient, and a store. */
function setUp(options: HarnessOptions = {}) {
  const artifactStore = createTestBlobs();
  const properties = { to: { type: 'string' }, data: { type: 'string', format: 'binary' }, lines: { type: 'array' } };
  const tools = (['value', 'stream'] as const).map((artifacts) =>
    recordingTool(artifacts, { inputSchema: { type: 'object', properties }, artifacts }),
  );
  const harness = createHarness(tools, { artifactStore, ...options });
  const put = (text: string, mediaType = 'text/plain') => ({
    $artifact: artifactStore.put(text, { mediaType, scope: own }),
  });
  const ran = (): readonly JsonObject[] => tools.flatMap((tool) => tool.calls);
  return { artifactStore, harness, put, ran };
}

const names = ({ args }: InterceptedCall): boolean => JSON.stringify(args).includes('attacker');
const denyAttacker: ToolInterceptor = (call) =>
  names(call) ? { action: 'deny', reason: 'no attackers' } : { action: 'continue' };

test('a denial by value cannot be avoided with a reference: text, JSON, bytes, streams, or all arguments', async () => {
  for (const how of ['interceptor', 'guard'] as const) {
    const { harness, put, ran } = setUp();
    if (how === 'interceptor') harness.hooks.intercept(denyAttacker);
    else harness.session.guard((call) => (names(call) ? 'no attackers' : undefined));
    for (const tool of ['value', 'stream']) {
      for (const args of [
        { to: 'attacker' },
        { to: put('attacker') },
        { lines: put('["attacker"]') },
        { data: put('attacker') },
        put('{"to":"attacker"}', 'application/json'),
      ]) {
        const result = await harness.call(tool, args);
        assert.equal(result.status, 'denied', `${how} ${tool} ${JSON.stringify(args)}`);
        assert.equal(result.error?.code, how === 'interceptor' ? 'E_TOOL_NOT_ALLOWED' : 'E_GUARDRAIL');
      }
      assert.equal((await harness.call(tool, { to: put('friend') })).status, 'ok');
    }
    assert.equal(ran().length, 2);
  }
});

test('content that is too large to be shown stays a reference with its media type, size and hash', async () => {
  const { harness, put, ran } = setUp({ policy: { maxArgumentBytes: 100 } });
  const seen: InterceptedCall[] = [];
  harness.hooks.intercept((call) => {
    seen.push(call);
    return { action: 'continue' };
  });
  await harness.call('stream', { to: put('x'.repeat(60)), data: put('y'.repeat(60), 'image/png') });
  assert.deepEqual(seen[0]?.args, { to: { $artifact: 'blob_1' }, data: { $artifact: 'blob_2' } });
  const [, image] = seen[0]?.artifacts ?? [];
  assert.deepEqual(
    [image?.path, image?.ref, image?.mediaType, image?.bytes, image?.sha256.length, image?.isInArgs],
    [['data'], 'blob_2', 'image/png', 60, 64, false],
  );
  assert.equal(ran().length, 1);
});

test('an interceptor that changes one argument leaves references and streams as they are', async () => {
  const { harness, put, ran } = setUp();
  harness.hooks.intercept(({ args }) => ({ action: 'modify', args: { ...args, lines: ['checked'] } }));
  await harness.call('stream', { to: put('a long text'), data: put('bytes') });
  const [args] = ran() as unknown as [{ to: ArtifactStream; data: ArtifactStream; lines: readonly string[] }];
  assert.deepEqual([args.to.bytes, args.data.bytes, args.lines], [11, 5, ['checked']]);
  assert.match(harness.onlyRecord().argsPreview, /"to":\{"\$artifact":"blob_1"\}/);
});

test('a reference that an interceptor inserts is shown as content to the next one', async () => {
  const { harness, put, ran } = setUp();
  const inserted = put('attacker');
  harness.hooks.intercept(() => ({ action: 'modify', args: { to: inserted } }));
  harness.hooks.intercept(denyAttacker);
  assert.equal((await harness.call('value', { to: 'friend' })).status, 'denied');
  assert.deepEqual(ran(), []);
});

test('interceptors and guards see the arguments of an approver, and references in them', async () => {
  for (const how of ['interceptor', 'guard'] as const) {
    for (const form of ['inline', 'reference']) {
      const approvalHandler = createTestApprovals(async () => ({
        decision: 'modified',
        modifiedArgs: { to: form === 'inline' ? 'attacker' : put('attacker') },
      }));
      const { harness, put, ran } = setUp({ approvalHandler, policy: { defaultRisk: 'high' } });
      if (how === 'interceptor') harness.hooks.intercept(denyAttacker);
      else harness.session.guard((call) => (names(call) ? 'no attackers' : undefined));
      assert.equal((await harness.call('value', { to: 'friend' })).status, 'denied', `${how} ${form}`);
      assert.deepEqual(ran(), []);
    }
  }
});

test('arguments that an interceptor changes after an approval are approved again, and otherwise do not run', async () => {
  for (const second of ['approved', 'denied'] as const) {
    const approvalHandler = createTestApprovals(async (_, index) =>
      index === 0 ? { decision: 'modified', modifiedArgs: { to: 'b' } } : { decision: second },
    );
    const { harness, ran } = setUp({ approvalHandler, policy: { defaultRisk: 'high' } });
    harness.hooks.intercept(({ args }) => ({ action: 'modify', args: { to: `${args['to'] as string}!` } }));
    assert.equal((await harness.call('value', { to: 'a' })).status, second === 'approved' ? 'ok' : 'denied');
    assert.deepEqual(
      approvalHandler.requests.map(({ args }) => args),
      [{ to: 'a!' }, { to: 'b!' }],
    );
    assert.deepEqual(ran(), second === 'approved' ? [{ to: 'b!' }] : []);
  }
});

test('an interceptor that corrects what an approver already corrected does not ask again', async () => {
  const approvalHandler = createTestApprovals(async () => ({ decision: 'modified', modifiedArgs: { to: 'B' } }));
  const { harness, ran } = setUp({ approvalHandler, policy: { defaultRisk: 'high' } });
  harness.hooks.intercept(({ args }) => ({ action: 'modify', args: { to: (args['to'] as string).toUpperCase() } }));
  assert.equal((await harness.call('value', { to: 'a' })).status, 'ok');
  assert.equal(approvalHandler.requests.length, 1);
  assert.deepEqual(ran(), [{ to: 'B' }]);
});

test('an approver and an interceptor that change each other do not continue forever', async () => {
  const approvalHandler = createTestApprovals(async (_, index) => ({
    decision: 'modified',
    modifiedArgs: { to: `${index}` },
  }));
  const { harness, ran } = setUp({ approvalHandler, policy: { defaultRisk: 'high' } });
  harness.hooks.intercept(({ args }) => ({ action: 'modify', args: { to: `${args['to'] as string}!` } }));
  const result = await harness.call('value', { to: 'a' });
  assert.equal(result.error?.code, 'E_APPROVAL_DENIED');
  assert.match(result.text, /arguments or risk changed after each of 10 approvals/);
  assert.deepEqual(ran(), []);
});

test('a guard applies to sessions inside, those that are open included, until it is removed', async () => {
  const { harness, ran } = setUp();
  const { invoker, session: parent } = harness;
  const inner = invoker.openSession({ parent, runId: 'another' });
  const remove = parent.guard(() => 'not now');
  const later = invoker.openSession({ parent: inner });
  for (const session of [parent, inner, later]) {
    assert.equal((await harness.call('value', {}, { session })).text, 'The call was stopped: not now');
  }
  remove();
  for (const session of [parent, inner, later])
    assert.equal((await harness.call('value', {}, { session })).status, 'ok');
  assert.equal(ran().length, 3);
});

test('a guard that throws denies, one that hangs ends with the run, and neither can change the call', async () => {
  const { harness, ran } = setUp();
  const failing = harness.session.guard(() => Promise.reject(new Error('secret')));
  assert.equal((await harness.call('value')).text, 'The call was stopped: a guard failed');
  failing();
  const changing = harness.session.guard((call) => void Object.assign(call.args, { to: 'attacker' }));
  assert.equal((await harness.call('value', { to: 'a' })).status, 'denied');
  changing();
  harness.session.guard(() => new Promise(() => {}));
  const hanging = harness.call('value');
  await settle();
  harness.session.cancel('stop');
  await assert.rejects(hanging, /stop/);
  assert.deepEqual(ran(), []);
});
