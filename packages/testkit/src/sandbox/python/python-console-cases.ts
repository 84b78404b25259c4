import assert from 'node:assert/strict';
import type { SandboxHarness } from '../sandbox-harness.ts';

/** Cases about printed output of scripts in Python. */
export function pythonConsoleCases({ scenario }: SandboxHarness): void {
  scenario('what is printed arrives in lines and order, errors apart', async ({ run }) => {
    const { lines } = await run(
      'import sys\nprint("a", 1)\nprint("b", end="")\nprint("c\\nd")\nprint("e", file=sys.stderr)\nprint("no end", end="")',
    );
    assert.deepEqual(lines, [
      { level: 'log', text: 'a 1' },
      { level: 'log', text: 'bc' },
      { level: 'log', text: 'd' },
      { level: 'error', text: 'e' },
      { level: 'log', text: 'no end' },
    ]);
  });
  scenario('lines arrive while the script waits', async ({ run }) => {
    const order: string[] = [];
    await run('print("before")\ncall("x", "")', {
      onConsole: ({ text }) => order.push(text),
      bridge: async () => String(order.push('call')),
    });
    assert.deepEqual(order.toSorted(), ['before', 'call']);
  });
  scenario('what was printed before a failure is kept', async ({ run }) => {
    const { lines, outcome } = await run('print("first")\nraise ValueError("x")');
    assert.equal(outcome.status, 'error');
    assert.deepEqual(lines, [{ level: 'log', text: 'first' }]);
  });
  scenario('a flood of output is held back and counted', async ({ run }) => {
    const { lines, outcome } = await run('for i in range(200000): print("line", i)', {
      limits: { maxConsoleBytes: 1_000 },
    });
    const bytes = lines.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
    assert.ok(bytes <= 1_000 && bytes > 900, String(bytes));
    const all = Array.from({ length: 200_000 }, (_, index) => `line ${index}`.length + 1);
    assert.equal(
      bytes + outcome.consoleDroppedBytes,
      all.reduce((sum, size) => sum + size, 0),
    );
  });
}
