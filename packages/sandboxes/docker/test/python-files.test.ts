import assert from 'node:assert/strict';
import { guestOf } from '@ravi/testkit/sandbox';
import { afterAll, test } from 'vitest';
import { openTestEngine, whyNot } from './test-engine.ts';

if (whyNot !== undefined) test.skip(`files of a request in Python (${whyNot})`, () => {});
else roomAndChecks();

function roomAndChecks(): void {
  const { create } = openTestEngine();
  const sandbox = create({ languages: ['python'], workspaceBytes: 8 * 1_048_576 });
  afterAll(() => sandbox[Symbol.asyncDispose]());
  const { run } = guestOf(sandbox, 'python');

  test('a file for which there is no room is left out, with a message on the console', async () => {
    const huge = new Blob([new Uint8Array(20_000_000)]);
    const fine = new Blob([new Uint8Array(3)]);
    const files = Object.entries({ huge, fine }).map(([name, blob]) => ({
      path: `/workspace/media/${name}`,
      bytes: blob.size,
      open: async () => blob.stream(),
    }));
    const { outcome, lines } = await run('import os\nos.listdir("/workspace/media")', { files });
    assert.equal(outcome.status === 'ok' && outcome.value, '["fine"]', JSON.stringify(outcome));
    assert.deepEqual(
      lines.map(({ text }) => text),
      ['/workspace/media/huge is not there: No space left on device'],
    );
  });

  test('the prelude can check the syntax tree before the script runs', async () => {
    const prelude = `
def check(tree, source):
    import ast
    names = sorted(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    host.call("seen", ",".join(names))
    if "bad" in names: raise ValueError("not run")
names = {}`;
    const good = await run('a = 1\na + len("b")', { prelude });
    assert.deepEqual([good.outcome.status, good.calls[0]?.payload], ['ok', 'a,a,len']);
    const bad = await run('print("ran")\nbad', { prelude });
    assert.equal(bad.outcome.status === 'error' && bad.outcome.error.message, 'not run');
    assert.deepEqual(bad.lines, []);
  });
}
