import assert from 'node:assert/strict';
import { test } from 'vitest';
import { readReadme, withReference } from './support/reference.ts';

test('the README shows every command, option and exit code of the table (node test/support/reference.ts writes it)', () => {
  const readme = readReadme();
  assert.equal(readme, withReference(readme));
});
