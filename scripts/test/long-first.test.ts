import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'vitest';

import { rank } from '../testing/long-first.ts';

const root = dirname(dirname(import.meta.dirname));

test('files of minutes start before slow ones, and these before all others', () => {
  const ordered = [
    'scripts/test/kill-test.test.ts',
    'apps/monolith/test/parked-approvals.test.ts',
    'packages/sandboxes/docker/test/python-hostile.test.ts',
    'apps/monolith/test/attack-bodies.test.ts',
    'packages/kernel/test/errors.test.ts',
  ];
  assert.deepEqual(
    ordered.toReversed().toSorted((left, right) => rank(left) - rank(right)),
    ordered,
  );
});

test('each list of long files names some that exist', () => {
  const files = globSync('{packages,apps,scripts}/**/test/**/*.test.ts', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  });
  const ranks = new Set(files.map(rank));
  assert.deepEqual(
    [...ranks].toSorted((left, right) => left - right),
    [0, 1, 2, 3, 4, 5, 6],
  );
});
