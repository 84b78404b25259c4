import { hostileContract } from '@ravi/testkit/hostile';
import { test } from 'vitest';
import { openTestEngine, whyNot } from './test-engine.ts';

if (whyNot !== undefined) test.skip(`hostile scripts, in JavaScript (${whyNot})`, () => {});
else {
  const { create, processes } = openTestEngine();
  // Many runs per container, because each takes the engine a third of a second; one at a time, so that it can be watched.
  hostileContract(
    test,
    () => create({ languages: ['javascript'], poolSize: 1, maxContainers: 1, runsPerContainer: 500 }),
    { processes },
  );
}
