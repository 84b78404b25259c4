import { hostileContract } from '@ravi/testkit/hostile';
import { test } from 'vitest';
import { openTestEngine, whyNot } from './test-engine.ts';

if (whyNot !== undefined) test.skip(`hostile scripts, in Python (${whyNot})`, () => {});
else {
  const { create, processes } = openTestEngine();
  // A container serves one run and takes the engine a third of a second: others start during the run.
  hostileContract(test, () => create({ languages: ['python'], poolSize: 2, maxContainers: 4 }), {
    language: 'python',
    processes,
    oneRunPerProcess: true,
  });
}
