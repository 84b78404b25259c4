import { childProcessIds } from '@ravi/testkit';
import { pythonSandboxContract } from '@ravi/testkit/sandbox';
import { test } from 'vitest';
import { createPyodideSandbox } from '../src/index.ts';

pythonSandboxContract(test, () => createPyodideSandbox({ poolSize: 2, maxProcesses: 3 }), {
  hasThreads: false,
  async crash() {
    for (const id of childProcessIds()) process.kill(id, 'SIGKILL');
  },
});
