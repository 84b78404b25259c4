import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { contractTestFiles } from '../lib/contract-tests.ts';
import { root } from '../lib/workspace.ts';

// What the loader hook of the second runner has in place of vitest.
const offered = new Set(['test', 'describe', 'beforeEach', 'afterEach', 'beforeAll', 'afterAll']);

test('contract tests import only what both runners have', () => {
  const files = contractTestFiles();
  assert.ok(files.length > 30);
  for (const file of files) {
    const [, names = ''] = /import \{([^}]*)\} from 'vitest'/.exec(readFileSync(join(root, file), 'utf8')) ?? [];
    const others = names.split(',').filter((name) => name.trim() !== '' && !offered.has(name.trim()));
    assert.deepEqual([file, others], [file, []]);
  }
});
