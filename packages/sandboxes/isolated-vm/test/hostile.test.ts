import { hostileContract } from '@ravi/testkit/hostile';
import { test } from 'vitest';
import { createIsolatedVmSandbox } from '../src/index.ts';

hostileContract(test, () => createIsolatedVmSandbox({ poolSize: 1, maxProcesses: 1 }));
