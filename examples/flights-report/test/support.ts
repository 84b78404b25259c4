import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainRunResult, JsonObject } from '@ravi/kernel';
import { openMonolith, tokens } from '@ravi/monolith';
import type { Monolith } from '@ravi/monolith';

/** The example's own installation, with its data in a folder of the test's. */
export interface TestExample extends AsyncDisposable {
  readonly dataFolder: string;
  readonly monolith: Monolith;
  run(code: string): Promise<ChainRunResult>;
  /** Runs a script that must succeed and gives its value, of which the test knows the type. */
  value<Value extends JsonObject = JsonObject>(code: string): Promise<Value>;
}

/** Opens the example with approvals by a rule. */
export async function openExample(decision: 'approved' | 'denied' = 'approved'): Promise<TestExample> {
  await using stack = new AsyncDisposableStack();
  const dataFolder = await mkdtemp(join(tmpdir(), 'ravi-flights-'));
  stack.defer(() => rm(dataFolder, { recursive: true, force: true }));
  const previous = process.env['RAVI_DATA'];
  process.env['RAVI_DATA'] = dataFolder;
  stack.defer(() => {
    if (previous === undefined) delete process.env['RAVI_DATA'];
    else process.env['RAVI_DATA'] = previous;
  });
  const monolith = stack.use(
    await openMonolith({
      configPath: join(import.meta.dirname, '../ravi.config.ts'),
      cwd: dataFolder,
      env: process.env,
      plugins: {
        blobStore: { use: '@ravi/blob-fs', root: join(dataFolder, 'blobs') },
        approvalHandler: { use: '@ravi/approval-auto', rules: [{ tool: 'publish_report', decision }] },
      },
    }),
  );
  const opened = stack.move();
  const run: TestExample['run'] = (code) => monolith.container.resolve(tokens.runChain)({ code });
  return {
    dataFolder,
    monolith,
    run,
    async value<Value extends JsonObject>(code: string): Promise<Value> {
      const result = await run(code);
      if (result.status !== 'ok') throw new Error(result.outputText);
      return result.value as Value;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
