import { Toolbox, ToolInvoker } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';
import type { Sandbox } from '@ravi/kernel';
import { createDockerSandbox } from '@ravi/sandbox-docker';
import { createIsolatedVmSandbox } from '@ravi/sandbox-isolated-vm';
import { createVmSandbox } from '@ravi/sandbox-vm';
import { hostileRecursion } from '@ravi/testkit/hostile';
import { afterAll, expect, test } from 'vitest';
import { createToolChainTool, runChain } from '../../src/index.ts';

const sandboxes = [
  createIsolatedVmSandbox(),
  createVmSandbox({ unsafe: true }),
  createDockerSandbox({ languages: ['javascript'], images: { javascript: 'ravi-sandbox-node:test' } }),
];
afterAll(async () => {
  for (const sandbox of sandboxes) await sandbox[Symbol.asyncDispose]();
});

for (const sandbox of sandboxes) {
  const whyNot = await obstacleOf(sandbox);
  const registry = new Toolbox([]);
  const invoker = new ToolInvoker({ registry });
  registry.add(createToolChainTool({ invoker, sandbox }));
  registry.add(createToolChainTool({ invoker, sandbox, name: 'harmless' }));

  for (const { name, code, value, calls } of hostileRecursion.cases) {
    const title = `a script does not start scripts, in the ${sandbox.name} sandbox: ${name}`;
    if (whyNot !== undefined) {
      test.skip(`${title} (${whyNot})`);
      continue;
    }
    test(title, async () => {
      const result = await runChain({ code, invoker, sandbox, preflight: false, session: { principal: 'mallory' } });
      expect(result.error).toBeUndefined();
      if (value !== undefined) expect(result.value).toEqual(JSON.parse(value));
      if (calls !== undefined) expect(result.callTrace).toHaveLength(calls);
      // One finished record per call, with any outcome, and none of a nested script.
      expect(new Set(result.callTrace.map(({ callId }) => callId)).size).toBe(result.callTrace.length);
      expect(result.callTrace.filter(({ status }) => status === 'started' || status === 'ok')).toEqual([]);
    });
  }
}

/** Returns the reason why the sandbox cannot run here, if there is one. */
async function obstacleOf(sandbox: Sandbox): Promise<string | undefined> {
  const invoker = new ToolInvoker({ registry: new Toolbox([]) });
  try {
    await runChain({ code: 'return 1', invoker, sandbox });
    return undefined;
  } catch (error) {
    if (isKernelError(error, 'E_SANDBOX_UNAVAILABLE')) return error.message;
    throw error;
  }
}
