import assert from 'node:assert/strict';
import type { SandboxFile, SandboxRequest } from '@ravi/kernel';
import { afterAll, test } from 'vitest';
import { runPython, valueOfPython } from './python-harness.ts';
import { openTestEngine, whyNot } from './test-engine.ts';

if (whyNot !== undefined) test.skip(`files of a request in Python (${whyNot})`, () => {});
else fileCases();

function fileOf(path: string, content: Uint8Array<ArrayBuffer>, chunkBytes = 100_000): SandboxFile {
  let at = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (at >= content.length) controller.close();
    else controller.enqueue(content.slice(at, (at += chunkBytes)));
  };
  return { path, bytes: content.length, open: async () => new ReadableStream({ pull }) };
}

function fileCases(): void {
  const { create } = openTestEngine();
  const sandbox = create({ languages: ['python'], workspaceBytes: 8 * 1_048_576 });
  afterAll(() => sandbox[Symbol.asyncDispose]());
  const value = (code: string, request: Partial<SandboxRequest>): Promise<unknown> => {
    const { limits: _limits, ...rest } = request;
    return valueOfPython(sandbox, code, rest);
  };

  test('says for which languages it has files', () => {
    assert.deepEqual(sandbox.supports.files, ['python']);
  });

  test('files are at their paths before the script reads them, byte for byte and of any size', async () => {
    const large = new Uint8Array(3_000_001).map((_, index) => (index * 7) % 251);
    const files = [
      fileOf('/workspace/media/call_1-photo-0.png', new Uint8Array([137, 80, 78, 71])),
      fileOf('/workspace/media/deep/größe.bin', large),
      fileOf('/workspace/media/empty.txt', new Uint8Array()),
    ];
    const code = `
import hashlib, os
def digest(path): return hashlib.sha256(open(path, "rb").read()).hexdigest()
[open("/workspace/media/call_1-photo-0.png", "rb").read().hex(), digest("/workspace/media/deep/größe.bin"),
 os.path.getsize("/workspace/media/empty.txt"), sorted(os.listdir("/workspace/media"))]`;
    const digest = await crypto.subtle.digest('SHA-256', large);
    assert.deepEqual(await value(code, { files }), [
      '89504e47',
      Buffer.from(digest).toString('hex'),
      0,
      ['call_1-photo-0.png', 'deep', 'empty.txt'],
    ]);
  });

  test('reading them costs the script none of its calls', async () => {
    const files = [fileOf('/workspace/a', new Uint8Array(2_500_000))];
    const { outcome, calls } = await runPython(
      sandbox,
      'call("x", "1")\ncall("x", "2")\nopen("/workspace/a").read(1)\nresult = 1',
      { files, limits: { maxCalls: 2 } },
    );
    assert.equal(outcome.status, 'ok', JSON.stringify(outcome));
    assert.equal(calls.length, 2);
  });

  test('a file that cannot be had or for which there is no room is left out, and the script runs', async () => {
    const broken: SandboxFile = {
      path: '/workspace/media/broken',
      bytes: 3,
      open: async () => {
        throw new Error('secret of the host');
      },
    };
    const files = [
      broken,
      fileOf('/workspace/media/short', new Uint8Array(3)),
      fileOf('/workspace/media/huge', new Uint8Array(20_000_000), 1_000_000),
      fileOf('/workspace/media/fine', new Uint8Array(3)),
    ].map((file) => (file.path.endsWith('short') ? { ...file, bytes: 9 } : file));
    const { outcome, lines } = await runPython(sandbox, 'import os\nsorted(os.listdir("/workspace/media"))', { files });
    assert.equal(outcome.status === 'ok' && outcome.value, '["fine"]', JSON.stringify(outcome));
    assert.deepEqual(
      lines.map(({ text }) => text),
      [
        '/workspace/media/broken is not there: its content cannot be had',
        '/workspace/media/short is not there: its content is shorter than it should be',
        '/workspace/media/huge is not there: No space left on device',
      ],
    );
  });

  test('what one script does to its files no other sees', async () => {
    const files = [fileOf('/workspace/media/a', new Uint8Array([65]))];
    assert.equal(await value('open("/workspace/media/a", "w").write("changed")', { files }), 7);
    const again = [fileOf('/workspace/media/a', new Uint8Array([65]))];
    assert.equal(await value('open("/workspace/media/a").read()', { files: again }), 'A');
    assert.equal(await value('import os\nos.path.exists("/workspace/media/a")', {}), false);
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
    assert.equal(await value(`${deep}try: f()\nexcept RecursionError as e: result = "caught"`, {}), 'caught');
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
