import assert from 'node:assert/strict';
import { knownErrors, replayKnownErrors, unlistedErrors } from '@ravi/provider-testing';
import { test } from 'vitest';
import { createOpenAiProvider } from '../src/index.ts';

for (const api of ['chat', 'responses'] as const) {
  test(`every known error is classified as the table says, as a response and inside a stream, with the ${api} API`, async () => {
    const count = await replayKnownErrors('openai', (baseUrl) =>
      createOpenAiProvider({ model: 'm', baseUrl, api, apiKey: 'key-very-secret', maxRetries: 0 }),
    );
    assert.ok(count > 60);
  });
}

test('wrong keys and exceeded contexts of nine servers are in the table', () => {
  for (const code of ['E_MODEL_AUTHENTICATION', 'E_MODEL_CONTEXT_EXCEEDED']) {
    const servers = new Set(knownErrors().flatMap((each) => (each.code === code ? [each.server] : [])));
    assert.ok(servers.size >= 9, `${code}: ${[...servers].join(', ')}`);
  }
});

const unlisted = unlistedErrors();
(unlisted === undefined ? test.skip : test)('every recorded error is in the table (needs the shared recordings)', () =>
  assert.deepEqual(unlisted, []),
);
