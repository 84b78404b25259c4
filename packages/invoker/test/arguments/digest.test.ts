import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { JsonValue } from '@ravi/kernel';
import fc from 'fast-check';
import { test } from 'vitest';
import { canonicalJson, createDigester, withContentHashes } from '../../src/arguments/digest.ts';

const key = new Uint8Array(32).fill(1);

// RFC 8785, sections 3.2.2 to 3.2.4 and appendix B.
test('canonical JSON is that of RFC 8785: the example of section 3.2.2', () => {
  const value = {
    numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"\/',
    literals: [null, true, false],
  };
  assert.equal(
    canonicalJson(value),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test('canonical JSON sorts keys by UTF-16 code units: the example of section 3.2.3', () => {
  const value = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  };
  assert.deepEqual(
    [...canonicalJson(value).matchAll(/:"([^"]+)"/g)].map(([, name]) => name),
    [
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ],
  );
});

test('canonical JSON writes numbers as appendix B says', () => {
  for (const [hex, text] of [
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['41b3de4355555554', '333333333.33333325'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ] as const) {
    assert.equal(canonicalJson(Buffer.from(hex, 'hex').readDoubleBE()), text);
  }
});

test('canonical JSON does not depend on the order of keys and parses back to the value', () => {
  const shuffled = (value: JsonValue): JsonValue => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(shuffled);
    const entries = Object.entries(value).toReversed();
    return Object.fromEntries(entries.map(([name, child]) => [name, shuffled(child)]));
  };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as JsonValue);
      assert.equal(canonicalJson(shuffled(value as JsonValue)), text);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      assert.equal(canonicalJson(JSON.parse(text) as JsonValue), text);
    }),
  );
});

test('the digest is HMAC-SHA256 of the UTF-8 text under the key of the installation', () => {
  const text = canonicalJson({ city: 'Zürich', '😀': [1] });
  const expected = createHmac('sha256', key).update(text, 'utf8').digest('hex');
  assert.equal(createDigester(key)(text), `hmac-sha256:${expected}`);
  assert.equal(createDigester(key)(text), createDigester(Uint8Array.from(key))(text));
  assert.notEqual(createDigester(new Uint8Array(32).fill(2))(text), createDigester(key)(text));
});

test('changing the key buffer afterwards does not change digests', () => {
  const own = Uint8Array.from(key);
  const digest = createDigester(own);
  const before = digest('x');
  own.fill(9);
  assert.equal(digest('x'), before);
});

test('refs count as the hash of their content at any depth, unknown refs as themselves', () => {
  const stat = (ref: string, sha256: string) => ({
    ref,
    sha256,
    mediaType: 'text/plain',
    bytes: 1,
    scope: { principal: 'a', sessionId: 's' },
    createdAt: 0,
    pins: 0,
  });
  const stats = new Map([
    ['r1', stat('r1', 'aa')],
    ['r2', stat('r2', 'aa')],
  ]);
  const args = {
    list: [{ $artifact: 'r1' }],
    b: { $artifact: 'r2' },
    c: { $artifact: 'r3' },
    d: { $artifact: 'r1', n: 1 },
  };
  assert.deepEqual(withContentHashes(args, stats), {
    list: [{ $artifact: 'sha256:aa' }],
    b: { $artifact: 'sha256:aa' },
    c: { $artifact: 'r3' },
    d: { $artifact: 'r1', n: 1 },
  });
});
