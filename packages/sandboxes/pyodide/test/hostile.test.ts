import { hostileContract } from '@ravi/testkit/hostile';
import { test } from 'vitest';
import { createPyodideSandbox } from '../src/index.ts';

hostileContract(test, () => createPyodideSandbox({ poolSize: 1, maxProcesses: 1 }), {
  language: 'python',
  bareStartMs: 1_000,
});
