import type { Sandbox } from '@ravi/kernel';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { afterAll, expect, test } from 'vitest';
import { createHarness, freeTool } from './harness.ts';

const sandboxes: readonly Sandbox[] = [createIsolatedVmSandbox(), createVmSandbox({ unsafe: true })];
afterAll(async () => {
  for (const sandbox of sandboxes) await sandbox[Symbol.asyncDispose]();
});

for (const sandbox of sandboxes) {
  const { run, pins } = createHarness(sandbox, [
    freeTool('rows', () => ({ rows: Array.from({ length: 500 }, (_, id) => ({ id })) })),
    freeTool('count', ({ table }) => ({ count: (table as unknown as { rows: unknown[] }).rows.length }), {
      inputSchema: { type: 'object', properties: { table: { type: 'object' } }, required: ['table'] },
    }),
    freeTool('mail', () => 'sent', { risk: 'high' }),
  ]);

  test(`a script means the same in the ${sandbox.name} sandbox`, async () => {
    const result = await run(
      `enum Kind { Table = 'table' }
       const table: unknown = await tools.rows();
       const [{ count }, mail] = await Promise.all([tools.count({ table }), tools.mail.safe()]);
       console.log(Kind.Table, count);
       await sleep(1);
       return { count, mail: mail.error.code, first: (await table.json()).rows[0] };`,
      { maxScriptResultBytes: 1_000 },
    );
    expect(result).toMatchObject({
      status: 'ok',
      value: { count: 500, mail: 'E_APPROVAL_NO_HANDLER', first: { id: 0 } },
      logs: [{ level: 'log', text: 'table 500' }],
      toolCalls: 3,
    });
    expect(await pins()).toBe(0);
  });

  test(`a failure has a position in the ${sandbox.name} sandbox`, async () => {
    const source =
      "enum A { B }\nconst f = (x: A) => {\n    throw new TypeError('no ' + x);\n};\nawait tools.mail.safe();\nf(A.B);";
    const { error } = await run(source);
    expect(error).toMatchObject({ code: 'E_SCRIPT_FAILED', message: 'TypeError: no 0', line: 3 });
  });
}
