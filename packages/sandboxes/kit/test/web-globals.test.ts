import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createWebGlobals } from '../src/guest/web-globals.ts';

/** The results of our globals must equal those of Node. */
const ours = createWebGlobals() as unknown as typeof globalThis;

const texts = ['', 'plain', 'ä ß ñ', '日本語', '🎉👩‍👩‍👧', '\u0000\u007f\u0080\u07ff\u0800\uffff', 'a\ud800b\udc00'];

test('text is encoded as the platform does it', () => {
  for (const text of texts) {
    assert.deepEqual(
      [...new ours.TextEncoder().encode(text)],
      [...new TextEncoder().encode(text)],
      JSON.stringify(text),
    );
  }
});

test('bytes are decoded as the platform does it, broken ones too', () => {
  const samples = [
    ...texts.map((text) => [...new TextEncoder().encode(text)]),
    [0xef, 0xbb, 0xbf, 0x61],
    [0xff, 0x61],
    [0xc0, 0x80],
    [0xe2, 0x82],
    [0xe2, 0x82, 0x61],
    [0xed, 0xa0, 0x80],
    [0xf0, 0x9f, 0x8e],
    [0xf0, 0x9f, 0x8e, 0x89, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf8, 0x88],
    [0xe0, 0x80, 0x80],
  ];
  for (const bytes of samples) {
    const input = Uint8Array.from(bytes);
    assert.equal(new ours.TextDecoder().decode(input), new TextDecoder().decode(input), bytes.join());
    assert.equal(new ours.TextDecoder('UTF8').decode(input.buffer), new TextDecoder().decode(input), bytes.join());
  }
  assert.throws(() => new ours.TextDecoder('latin1'), /utf-8 only/);
});

test('base64 is encoded and decoded as on the platform', () => {
  for (const text of ['', 'a', 'ab', 'abc', 'abcd', '\u0000\u00ff\u0080', 'any carnal pleas']) {
    assert.equal(ours.btoa(text), btoa(text));
    assert.equal(ours.atob(btoa(text)), text);
  }
  assert.equal(ours.atob(' YWI \n'), 'ab');
  assert.throws(() => ours.btoa('日'), /U\+00FF/);
  for (const broken of ['a', 'ab=', 'a*bc', 'abc==', '====']) assert.throws(() => ours.atob(broken), /base64/, broken);
});

test('a structured clone is equal and separate, and keeps shared and cyclic references', () => {
  const shared = { deep: [1, 'two', null, undefined, 3n] };
  const value: Record<string, unknown> = {
    shared,
    again: shared,
    map: new Map<unknown, unknown>([
      ['a', shared],
      [{}, 1],
    ]),
    set: new Set([1, shared]),
    date: new Date(5),
    pattern: /a+/gi,
    bytes: new Uint8Array([1, 2, 3]).subarray(1),
    buffer: new Uint8Array([9]).buffer,
    holes: Object.assign(new Array<number>(3), { 1: 1 }),
  };
  value['self'] = value;
  const copy = ours.structuredClone(value);
  assert.deepEqual(copy, structuredClone(value));
  assert.notEqual(copy['shared'], shared);
  assert.equal(copy['shared'], copy['again']);
  assert.equal(copy['self'], copy);
});

test('a structured clone refuses values that cannot be copied, and pollutes no prototype', () => {
  for (const value of [() => 1, Symbol('x'), { run() {} }, [Promise.resolve()], new WeakMap()]) {
    assert.throws(() => ours.structuredClone(value), /cannot copy/);
  }
  const copy = ours.structuredClone(JSON.parse('{"__proto__":{"polluted":1}}')) as object;
  assert.deepEqual(Object.keys(copy), ['__proto__']);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  class Point {
    x = 1;
  }
  const plain = ours.structuredClone(new Point());
  assert.equal(Object.getPrototypeOf(plain), Object.prototype);
});
