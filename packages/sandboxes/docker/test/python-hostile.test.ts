import { hostileContract } from '@ravi/testkit/hostile';
import { test } from 'vitest';
import { openTestEngine, whyNot } from './test-engine.ts';
import { supportOf } from './supports.ts';

if (whyNot !== undefined) test.skip(`hostile scripts, in Python (${whyNot})`, () => {});
else {
  const { create, processes } = openTestEngine();
  // A container serves one run, and takes the engine a third of a second: others start while one runs.
  hostileContract(test, () => create({ languages: ['python'], poolSize: 2, maxContainers: 4 }), {
    supports: supportOf('python'),
    language: 'python',
    processes,
    oneRunPerProcess: true,
  });
}
