import assert from 'node:assert/strict';
import type { SandboxHarness } from '../sandbox-harness.ts';

const values: readonly (readonly [code: string, expected: unknown])[] = [
  ['return 1 + 1', 2],
  ['x = 20\nx * 2 + 2', 42],
  ['result = {"a": (1, None, True)}', { a: [1, null, true] }],
  ['if True:\n    return "gr\\u00fc\\u00dfe \\U0001f389"', 'grüße 🎉'],
  ['import datetime\ndatetime.date(2026, 1, 2)', '2026-01-02'],
  ['[float("nan"), float("inf"), 1.5]', [null, null, 1.5]],
  ['{1: "a", None: "b"}', { 1: 'a', null: 'b' }],
  ['shared = [1]\n[shared, shared]', [[1], [1]]],
  ['import json\njson.loads(\'{"__proto__": {"a": 1}}\')', JSON.parse('{"__proto__": {"a": 1}}')],
  ['await __import__("asyncio").sleep(0.01)\nreturn "slept"', 'slept'],
  ['import asyncio\nasync def main():\n    return call("x", "inner")\nasyncio.run(main())', 'inner'],
  ['def main():\n    return [n for n in range(3)]\n\nif __name__ == "__main__":\n    result = main()', [0, 1, 2]],
  ['import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int = 1\ndataclasses.asdict(P())', { x: 1 }],
  ['names = sorted(n for n in globals() if n.isidentifier() and not n.startswith("_"))\nnames', ['call']],
  ['half = "\\ud800"\ncall("x", "a" + half + "b")', 'a\ufffdb'],
  ['import tempfile\nwith tempfile.TemporaryFile() as f:\n    f.write(b"x")\n    result = f.tell()', 1],
];

/** Cases about returned values of scripts in Python. */
export function pythonValueCases({ scenario }: SandboxHarness): void {
  for (const [code, expected] of values) {
    scenario(`gives the value of: ${code}`, async ({ value }) => {
      assert.deepEqual(await value(code), expected);
    });
  }
  scenario('a script without a value returns none', async ({ run }) => {
    for (const code of ['', 'x = 1', 'print("only this")', 'return', 'import sys\nsys.exit()']) {
      const { outcome } = await run(code);
      assert.equal(outcome.status, 'ok', code);
      assert.equal('value' in outcome, false, code);
    }
  });
  scenario('the prelude defines names, and the script may reuse them', async ({ value }) => {
    const prelude = 'names = {"twice": lambda x: 2 * x, "answer": 42}';
    assert.equal(await value('twice(answer)', { prelude }), 84);
    assert.equal(await value('twice, answer = 1, 2\ntwice + answer', { prelude }), 3);
  });
  scenario('the prelude may run something when the script is over', async ({ run }) => {
    const prelude = 'names = {}\ndef finish(): host.call("finished", "")';
    const { outcome, calls } = await run('return 1', { prelude });
    assert.equal(outcome.status === 'ok' && outcome.value, '1');
    assert.deepEqual(
      calls.map(({ op }) => op),
      ['finished'],
    );
  });
  scenario('what one run leaves is not there in the next one', async ({ value }) => {
    await value(
      'import builtins, os\nbuiltins.left = 1\nos.environ["LEFT"] = "1"\nopen("/workspace/left", "w").close()',
    );
    const code =
      'import builtins, os\n[hasattr(builtins, "left"), "LEFT" in os.environ, os.path.exists("/workspace/left")]';
    assert.deepEqual(await value(code), [false, false, false]);
  });
}
