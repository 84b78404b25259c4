import { hostileContract } from '@ravi/testkit/hostile';
import { test } from 'vitest';
import { createVmSandbox } from '../src/index.ts';
import { supports } from './supports.ts';

hostileContract(test, () => createVmSandbox({ unsafe: true, poolSize: 1, maxProcesses: 1 }), { supports });
