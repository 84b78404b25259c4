import assert from 'node:assert/strict';
import { replayKnownErrors } from '@ravi/provider-testing';
import { test } from 'vitest';
import { createGoogleProvider } from '../src/index.ts';

test('every known error is classified as the table of errors says, as a response and inside a stream', async () => {
  const apiKey = 'key-very-secret';
  const count = await replayKnownErrors('google', (baseUrl) =>
    createGoogleProvider({ model: 'm', baseUrl, apiKey, maxRetries: 0 }),
  );
  // All of the Gemini errors in the table, so that none is skipped.
  assert.equal(count, 12);
});
