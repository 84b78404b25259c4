import assert from 'node:assert/strict';
import { test } from 'vitest';
import { messageWithCauses } from '../src/index.ts';

test('an error is shown with the messages of its causes, each once', () => {
  const refused = new Error('connect ECONNREFUSED');
  const unavailable = new Error('The database does not respond', { cause: refused });
  assert.equal(messageWithCauses(refused), 'connect ECONNREFUSED');
  assert.equal(messageWithCauses(unavailable), 'The database does not respond: connect ECONNREFUSED');
  const repeated = new Error('The start failed: The database does not respond', { cause: unavailable });
  assert.equal(messageWithCauses(repeated), 'The start failed: The database does not respond: connect ECONNREFUSED');
});

test('an error that is its own cause is shown once', () => {
  const first = new Error('one');
  const second = new Error('two', { cause: first });
  first.cause = second;
  assert.equal(messageWithCauses(first), 'one: two');
  assert.equal(messageWithCauses(new Error('text', { cause: 'no error' })), 'text');
});
