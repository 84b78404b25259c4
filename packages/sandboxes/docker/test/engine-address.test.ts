import assert from 'node:assert/strict';
import { isKernelError } from '@ravi/kernel';
import { pluginContract } from '@ravi/testkit/plugin';
import { test } from 'vitest';
import plugin, { createDockerSandbox } from '../src/index.ts';
import { engineSocketPath } from '../src/engine/engine-address.ts';

pluginContract(test, plugin, { host: 'unix:///no/engine.sock', poolSize: 0 });

test('the option has precedence over DOCKER_HOST, which has precedence over the usual sockets', () => {
  const env = { DOCKER_HOST: 'unix:///from/env.sock' };
  assert.equal(engineSocketPath('unix:///from/option.sock', env), '/from/option.sock');
  assert.equal(engineSocketPath(undefined, env), '/from/env.sock');
  assert.match(engineSocketPath(undefined, {}), /\.sock$/);
});

test('an engine on another machine is refused, because FIFOs do not work across machines', () => {
  for (const address of ['tcp://127.0.0.1:2375', 'ssh://somewhere', 'npipe:////./pipe/docker']) {
    assert.throws(
      () => engineSocketPath(undefined, { DOCKER_HOST: address }),
      (error) => isKernelError(error, 'E_CONFIG_INVALID'),
    );
  }
});

test('without an engine a run fails and names the socket', async () => {
  await using sandbox = createDockerSandbox({ host: 'unix:///no/engine.sock' });
  const run = sandbox.run({
    language: 'javascript',
    code: 'return 1',
    prelude: 'return {}',
    principal: 'alice',
    limits: {
      wallTimeMs: 1_000,
      cpuTimeMs: 1_000,
      memoryBytes: 1e8,
      maxConsoleBytes: 1,
      maxResultBytes: 10,
      maxCalls: 1,
      maxInFlight: 1,
    },
    bridge: async () => '',
    onConsole() {},
  });
  await assert.rejects(
    run,
    (error) =>
      isKernelError(error, 'E_SANDBOX_UNAVAILABLE') &&
      /No container engine responds at \/no\/engine\.sock .*DOCKER_HOST/.test(error.message),
  );
});
