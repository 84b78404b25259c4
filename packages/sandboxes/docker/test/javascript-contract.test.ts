import { sandboxContract } from '@ravi/testkit/sandbox';
import { test } from 'vitest';
import { openTestEngine, whyNot } from './test-engine.ts';

if (whyNot !== undefined) test.skip(`the contract of the port, in JavaScript (${whyNot})`, () => {});
else {
  const { create, containers, engine } = openTestEngine();
  // Several runs per container: the suite makes a thousand, and each container takes the engine half a second.
  sandboxContract(test, () => create({ languages: ['javascript'], runsPerContainer: 50, maxContainers: 4 }), {
    async crash() {
      for (const { id } of await containers()) await engine.remove(id);
    },
  });
}
