import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'vitest';
import { createArgumentDigest } from '../src/index.ts';

test('the digest is HMAC-SHA256 for keys of every length and any text', () => {
  for (const length of [1, 32, 64, 65, 200]) {
    const key = randomBytes(length);
    const digest = createArgumentDigest(key);
    for (const text of ['', '{"a":1}', 'é😀'.repeat(500)]) {
      assert.equal(digest(text), `hmac-sha256:${createHmac('sha256', key).update(text).digest('hex')}`);
    }
  }
});
