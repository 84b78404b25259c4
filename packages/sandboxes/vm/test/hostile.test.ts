import { hostileContract } from '@ravi/testkit';
import { test } from 'vitest';
import { createVmSandbox } from '../src/index.ts';

hostileContract(test, () => createVmSandbox({ unsafe: true, poolSize: 1, maxProcesses: 1 }), {
  supports: {
    languages: ['javascript'],
    isolation: 'none',
    limits: [
      'wall',
      'cpu',
      ...(process.platform === 'linux' ? (['memory'] as const) : []),
      'console',
      'result',
      'calls',
      'in-flight',
    ],
    detectsDeadlock: true,
  },
});
