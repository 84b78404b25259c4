import { pythonSandboxContract } from '@ravi/testkit/sandbox';
import { test } from 'vitest';
import { openTestEngine, whyNot } from './test-engine.ts';

if (whyNot !== undefined) test.skip(`the contract of the port, in Python (${whyNot})`, () => {});
else {
  const { create, containers, engine } = openTestEngine();
  pythonSandboxContract(test, () => create({ languages: ['python'], poolSize: 3, maxContainers: 4 }), {
    async crash() {
      for (const { id } of await containers()) await engine.remove(id);
    },
  });
}
