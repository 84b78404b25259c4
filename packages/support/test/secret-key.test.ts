import assert from 'node:assert/strict';
import { test } from 'vitest';
import { isSecretKey } from '../src/index.ts';

test('names of fields that usually hold secrets are recognised, and names that only sound alike are not', () => {
  const secrets =
    'password Password user_password passwd pass db_pass smtpPass passphrase secret clientSecret token access_token apiKey api-key x_api_key Authorization credentials cookie privateKey bearer';
  const others = 'passenger tokens maxTokens compass bypass secretary path key author';
  for (const name of secrets.split(' ')) assert.ok(isSecretKey(name), name);
  for (const name of others.split(' ')) assert.ok(!isSecretKey(name), name);
});
