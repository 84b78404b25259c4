import { hostileContract } from '@ravi/testkit/hostile';
import { test } from 'vitest';
import { createVmSandbox } from '../src/index.ts';

hostileContract(test, () => createVmSandbox({ unsafe: true, poolSize: 1, maxProcesses: 1 }));
