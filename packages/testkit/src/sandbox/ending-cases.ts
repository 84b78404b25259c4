import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import type { SandboxHarness } from './sandbox-harness.ts';

/** The end of a guest and of a sandbox while a script runs, the last of all cases; `waiting` is a script that makes a call. */
export function endingCases({ scenario, crash, test }: SandboxHarness, waiting: string): void {
  if (crash === undefined) test.skip('sandbox: a crash of the guest (the suite was not told how to cause one)');
  else {
    scenario('a crash of the guest is an outcome, and the next run succeeds', async ({ sandbox, run, value }) => {
      const { promise: crashed, resolve } = Promise.withResolvers<void>();
      const { outcome } = await run(waiting, {
        bridge: () => {
          resolve(crash(sandbox));
          return new Promise(() => {});
        },
      });
      await crashed;
      assert.equal(outcome.status, 'crashed', JSON.stringify(outcome));
      assert.equal(await value('return "well"'), 'well');
    });
  }
  scenario('a closed sandbox ends its runs and refuses further ones', async ({ sandbox, run }) => {
    const { promise: started, resolve } = Promise.withResolvers<void>();
    const pending = run(waiting, {
      bridge: () => {
        resolve();
        return new Promise(() => {});
      },
    });
    await started;
    await sandbox[Symbol.asyncDispose]();
    assert.notEqual((await pending).outcome.status, 'ok');
    await assert.rejects(run('return 1'), (error) => isKernelError(error, 'E_SANDBOX_UNAVAILABLE'));
    await sandbox[Symbol.asyncDispose]();
  });
}
