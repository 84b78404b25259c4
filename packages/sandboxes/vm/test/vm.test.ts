import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { isKernelError, sandboxLimits } from '@ravi/kernel';
import type { SandboxOutcome } from '@ravi/kernel';
import { pluginContract } from '@ravi/testkit/plugin';
import { sandboxContract } from '@ravi/testkit/sandbox';
import { test } from 'vitest';
import plugin, { createVmSandbox } from '../src/index.ts';

sandboxContract(test, () => createVmSandbox({ unsafe: true }));
pluginContract(test, plugin, { unsafe: true, poolSize: 0 });

test('it declares no isolation, and every limit that the platform can measure', async () => {
  await using sandbox = createVmSandbox({ unsafe: true, poolSize: 0 });
  assert.deepEqual(sandbox.supports, {
    languages: ['javascript'],
    isolation: 'none',
    limits: sandboxLimits.filter((limit) => limit !== 'memory' || process.platform === 'linux'),
    detectsDeadlock: true,
    marksTurns: ['javascript'],
  });
});

test('it refuses to start unless the caller confirms that it is unsafe', () => {
  for (const options of [undefined, {}, { unsafe: false }, { unsafe: 'true' as never }]) {
    assert.throws(
      () => createVmSandbox(options),
      (error) => isKernelError(error, 'E_CONFIG_INVALID'),
    );
  }
});

test('a script that leaves its context finds an empty environment, no files, no processes', async () => {
  const escape = `
    const outside = await import('node:fs').catch((error) => error.constructor.constructor('return process')());
    const denied = (action) => { try { action(); return 'allowed' } catch (error) { return error.code } };
    return [
      Object.keys(outside.env).length,
      denied(() => outside.getBuiltinModule('node:fs').readFileSync('/etc/passwd')),
      denied(() => outside.getBuiltinModule('node:fs').writeFileSync('/tmp/ravi-escaped', '')),
      denied(() => outside.getBuiltinModule('node:child_process').spawnSync('id')),
      denied(() => new (outside.getBuiltinModule('node:worker_threads').Worker)('1', { eval: true })),
    ];`;
  const outcome = await runOnce(escape);
  assert.equal(
    outcome.status === 'ok' && outcome.value,
    JSON.stringify([0, 'ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED']),
  );
});

test('a script that leaves its context and ends its process is an outcome like any other', async () => {
  const outcome = await runOnce(
    "const outside = await import('x').catch((error) => error.constructor.constructor('return process')()); outside.exit(7)",
  );
  assert.equal(outcome.status, 'crashed');
});

test.skipIf(process.platform === 'win32')(
  'a host without free descriptors refuses a run, and serves the next one',
  async () => {
    const source = `
    import { closeSync, openSync } from 'node:fs';
    import { createVmSandbox } from '${new URL('../src/index.ts', import.meta.url)}';
    const sandbox = createVmSandbox({ unsafe: true, poolSize: 0 });
    const run = () => sandbox.run({
      language: 'javascript', code: 'return 1', prelude: '', principal: 'alice', bridge: async () => '', onConsole() {},
      limits: { wallTimeMs: 9999, cpuTimeMs: 9999, memoryBytes: 67108864, maxConsoleBytes: 1, maxResultBytes: 9, maxCalls: 1, maxInFlight: 1 },
    }).then((outcome) => outcome.status, (error) => error.code);
    const held = [];
    try { for (;;) held.push(openSync('/dev/null')) } catch {}
    const refused = await run();
    for (const descriptor of held) closeSync(descriptor);
    process.stdout.write([refused, await run()].join());
    await sandbox[Symbol.asyncDispose]();`;
    const host = spawn(
      'sh',
      ['-c', 'ulimit -n 80 && exec "$0" --input-type=module -e "$1"', process.execPath, source],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    assert.equal(await text(host.stdout), 'E_SANDBOX_UNAVAILABLE,ok');
  },
);

async function runOnce(code: string): Promise<SandboxOutcome> {
  await using sandbox = createVmSandbox({ unsafe: true, poolSize: 1 });
  return await sandbox.run({
    language: 'javascript',
    code,
    prelude: '',
    principal: 'alice',
    limits: {
      wallTimeMs: 30_000,
      cpuTimeMs: 20_000,
      memoryBytes: 134_217_728,
      maxConsoleBytes: 1_000,
      maxResultBytes: 10_000,
      maxCalls: 1,
      maxInFlight: 1,
    },
    bridge: async () => '',
    onConsole: () => {},
  });
}
