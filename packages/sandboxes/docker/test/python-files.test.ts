import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { runPython, valueOfPython } from './python-harness.ts';
import { openTestEngine, whyNot } from './test-engine.ts';

if (whyNot !== undefined) test.skip(`files of a request in Python (${whyNot})`, () => {});
else roomAndChecks();

function roomAndChecks(): void {
  const { create } = openTestEngine();
  const sandbox = create({ languages: ['python'], workspaceBytes: 8 * 1_048_576 });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  test('a file for which there is no room is left out, and the script is told', async () => {
    const huge = new Blob([new Uint8Array(20_000_000)]);
    const fine = new Blob([new Uint8Array(3)]);
    const files = Object.entries({ huge, fine }).map(([name, blob]) => ({
      path: `/workspace/media/${name}`,
      bytes: blob.size,
      open: async () => blob.stream(),
    }));
    const { outcome, lines } = await runPython(sandbox, 'import os\nos.listdir("/workspace/media")', { files });
    assert.equal(outcome.status === 'ok' && outcome.value, '["fine"]', JSON.stringify(outcome));
    assert.deepEqual(
      lines.map(({ text }) => text),
      ['/workspace/media/huge is not there: No space left on device'],
    );
  });

  test('the prelude may check the syntax tree before any of the script runs', async () => {
    const prelude = `
def check(tree, source):
    import ast
    names = sorted(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    host.call("seen", ",".join(names))
    if "bad" in names: raise ValueError("not run")
names = {}`;
    const good = await runPython(sandbox, 'a = 1\na + len("b")', { prelude });
    assert.deepEqual([good.outcome.status, good.calls[0]?.payload], ['ok', 'a,a,len']);
    const bad = await runPython(sandbox, 'print("ran")\nbad', { prelude });
    assert.equal(bad.outcome.status === 'error' && bad.outcome.error.message, 'not run');
    assert.deepEqual(bad.lines, []);
  });

  test('recursion too deep, and calls that carry too much, are errors that a script can catch', async () => {
    const deep = 'def f(): return f()\n';
    assert.equal(
      await valueOfPython(sandbox, `${deep}try: f()\nexcept RecursionError as e: result = "caught"`),
      'caught',
    );
    const { outcome } = await runPython(sandbox, `${deep}f()`);
    assert.equal(outcome.status === 'error' && outcome.error.code, 'E_LIMIT_STACK', JSON.stringify(outcome));
    for (const payload of ['"x" * 1001', '"ä" * 501']) {
      const code = `try: call("x", ${payload})\nexcept Exception as e: result = [e.code, str(e)]`;
      const refused = await runPython(sandbox, code, { limits: { maxCallInputBytes: 1_000 } });
      assert.equal(
        refused.outcome.status === 'ok' && refused.outcome.value,
        '["E_LIMIT_CALL_INPUT","The call carries more than its limit (maxCallInputBytes: 1000)"]',
      );
      assert.deepEqual(refused.calls, []);
    }
    const large = await runPython(sandbox, 'try: call("x", "y")\nexcept Exception as e: result = e.code', {
      limits: { maxCallOutputBytes: 10 },
      bridge: async () => 'x'.repeat(11),
    });
    assert.equal(large.outcome.status === 'ok' && large.outcome.value, '"E_LIMIT_CALL_OUTPUT"');
  });
}
