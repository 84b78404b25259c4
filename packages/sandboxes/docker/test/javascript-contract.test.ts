import { sandboxContract } from '@ravi/testkit';
import { test } from 'vitest';
import { openTestEngine, whyNot } from './test-engine.ts';

if (whyNot !== undefined) test.skip(`the contract of the port, in JavaScript (${whyNot})`, () => {});
else {
  const { create, containers, engine } = openTestEngine();
  // More runs than one to a container: the suite makes a thousand, and each container takes the engine half a second.
  sandboxContract(test, () => create({ runsPerContainer: 50, maxContainers: 4 }), {
    supports: {
      languages: ['javascript', 'python'],
      isolation: 'container',
      limits: [
        'wall',
        'cpu',
        'memory',
        'stack',
        'source',
        'console',
        'result',
        'calls',
        'in-flight',
        'call-input',
        'call-output',
      ],
      detectsDeadlock: true,
      files: ['python'],
    },
    async crash() {
      for (const { id } of await containers()) await engine.remove(id);
    },
  });
}
