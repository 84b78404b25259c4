import assert from 'node:assert/strict';
import { composeSandboxes } from '@ravi/support';
import { createPyodideSandbox } from '@ravi/sandbox-pyodide';
import { afterAll, test } from 'vitest';
import { answer } from './decisions.ts';
import { createWorld, sandbox as javascript } from './harness.ts';

const python = createPyodideSandbox({ poolSize: 1, maxProcesses: 2 });
const sandbox = composeSandboxes([javascript, python]);
afterAll(() => python[Symbol.asyncDispose]());

const scripts = {
  javascript: `const file = await artifacts.put(String(Math.random()), { name: 'once.txt' });
    const second = await artifacts.put('two', { name: 'once.txt' });
    let third; try { await artifacts.put('x'.repeat(9), { name: 'big.txt' }) } catch (error) { third = error.code }
    await tools.send({ to: 'ada', ref: file.ref });
    return [file.ref, await file.text(), second.path, third]`,
  python: `import random
file = artifacts.put(str(random.random()), name='once.txt')
second = artifacts.put('two', name='once.txt')
try:
    artifacts.put('x' * 9, name='big.txt')
except Exception as error:
    third = error.code
tools.send(to='ada', ref=file.ref)
return [file.ref, file.text(), second.place, third]`,
};

test.each(['javascript', 'python'] as const)(
  'a script in %s that is repeated in another process gets the files that it stored, and stores none again',
  async (language) => {
    await using world = await createWorld();
    const stored: string[] = [];
    const blobs = { ...world.blobs };
    world.blobs.store = async (...args) => {
      const ref = await blobs.store(...args);
      stored.push(ref);
      return ref;
    };
    const request = {
      code: scripts[language],
      language,
      runId: 'run',
      approvals: 'pause',
      policy: { maxScriptFileBytes: 30, maxScriptFiles: 2 },
    } as const;
    {
      await using first = world.open({ sandbox });
      assert.equal((await first.chains.start(request)).status, 'paused');
    }
    assert.equal(stored.length, 2);
    await answer(world, 'ada', {}, 'run');
    await using second = world.open({ sandbox });
    const { status, value, files, outputText } = await second.chains.resume('run');
    assert.equal(status, 'ok', outputText);
    const [ref, text, path, code] = value as readonly string[];
    assert.deepEqual([ref, path, code], [stored[0], '/workspace/out/once-2.txt', 'E_LIMIT_FILES']);
    assert.match(text ?? '', /^0\.\d+/);
    assert.deepEqual(
      files?.map(({ artifactRef }) => artifactRef),
      stored,
    );
    assert.equal(stored.length, 2);
    assert.deepEqual(world.effects, [`send {"to":"ada","ref":"${ref}"}`]);
  },
);

test('a script that puts something else when it is repeated is stopped', async () => {
  await using world = await createWorld();
  const code = `await artifacts.put('one', { name: 'a.txt' }); await tools.send({ to: 'ada' }); return 1`;
  {
    await using first = world.open();
    await first.chains.start({ code, runId: 'run', approvals: 'pause' });
  }
  const { items } = await world.store.journal.entries('run');
  const put = items.find((item) => item.type === 'event' && item.event.kind === 'put');
  assert.ok(put?.type === 'event');
  // The journal of a script that put something else.
  (put.event.value as { requestDigest: string }).requestDigest = 'another';
  const journal = { ...world.store.journal, entries: async () => ({ items, corrupt: [] }) };
  const store = { ...world.store, journal: Object.assign(Object.create(world.store.journal), journal) };
  await answer(world, 'ada', {}, 'run');
  await using second = world.open({ store });
  const { status, error } = await second.chains.resume('run');
  assert.deepEqual([status, error?.code], ['error', 'E_RUN_DIVERGED']);
  assert.deepEqual(world.effects, []);
});
