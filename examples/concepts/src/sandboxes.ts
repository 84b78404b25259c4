import assert from 'node:assert/strict';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';

/** A sandbox on its own: code in, calls out, an outcome back. */
export async function sandboxesExample(): Promise<void> {
  // #region run
  await using sandbox = createIsolatedVmSandbox();
  const outcome = await sandbox.run({
    language: 'javascript',
    prelude: `return { ask: (question) => host.call('ask', question) };`,
    code: `const answer = await ask('six times seven'); console.log(answer); return Number(answer);`,
    limits: {
      wallTimeMs: 5_000,
      cpuTimeMs: 1_000,
      memoryBytes: 64 * 1_048_576,
      maxConsoleBytes: 10_000,
      maxResultBytes: 10_000,
      maxCalls: 10,
      maxInFlight: 4,
    },
    principal: 'ada',
    bridge: async ({ op, payload }) => `${op === 'ask' && payload === 'six times seven' ? 42 : 0}`,
    onConsole: ({ level, text }) => console.log(level, text),
  });
  if (outcome.status === 'ok') console.log(outcome.value);
  // #endregion

  assert.equal(outcome.status, 'ok');
  assert.equal(outcome.value, '42');
}
