import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { cutUtf8, decodeUtf8, utf8Length } from '../src/index.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 60 });

test('utf8Length counts the UTF-8 bytes of a text', () => {
  const longText = fc.string({ unit: 'binary', minLength: 1_000, maxLength: 1_100 });
  fc.assert(fc.property(fc.oneof(anyText, longText), (text) => utf8Length(text) === Buffer.byteLength(text)));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0xd700, max: 0xe0ff })), (units) => {
      const text = String.fromCharCode(...units);
      return utf8Length(text) === Buffer.byteLength(text);
    }),
  );
});

test('cutUtf8 returns the longest start that fits and ends between two characters', () => {
  fc.assert(
    fc.property(anyText, fc.nat({ max: 130 }), (text, maxBytes) => {
      const cut = cutUtf8(text, maxBytes);
      assert.ok(text.startsWith(cut));
      assert.ok(utf8Length(cut) <= maxBytes);
      assert.ok(cut.isWellFormed());
      const next = String.fromCodePoint(text.codePointAt(cut.length) ?? 0);
      assert.ok(cut === text || utf8Length(cut + next) > maxBytes);
    }),
  );
});

test('malformed bytes become replacement characters', () => {
  assert.equal(decodeUtf8(Uint8Array.of(0x61, 0xff, 0x62)), 'a\ufffdb');
});
