import assert from 'node:assert/strict';
import { sandboxLimits } from '@ravi/kernel';
import { test } from 'vitest';
import { createDockerSandbox } from '../src/index.ts';

const container = { isolation: 'container', limits: sandboxLimits, detectsDeadlock: true } as const;

test('it declares isolation by container, every limit, and files for Python alone', async () => {
  await using both = createDockerSandbox();
  assert.deepEqual(both.supports, {
    ...container,
    languages: ['javascript', 'python'],
    marksTurns: ['javascript'],
    files: ['python'],
  });
  await using python = createDockerSandbox({ languages: ['python'] });
  assert.deepEqual(python.supports, { ...container, languages: ['python'], files: ['python'] });
  await using javascript = createDockerSandbox({ languages: ['javascript'] });
  assert.deepEqual(javascript.supports, { ...container, languages: ['javascript'], marksTurns: ['javascript'] });
});
