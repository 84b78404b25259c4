import assert from 'node:assert/strict';
import { test } from 'vitest';
import { codec } from '../src/host/wire.ts';
import { maxFrameBytes } from '../src/protocol/frames.ts';
import { runAgainst } from './fake-guest.ts';

const call = (id: string): string => codec.encode('c', id, 'op', '{}');
const line = (text: string, level = 'log'): string => codec.encode('l', level, text);
const done = codec.encode('u');

/** Frames that a guest may send after it broke out of its runtime, with the message of the host. */
const forged: readonly (readonly [what: string, frame: string, says: RegExp])[] = [
  ['an empty frame', '', /unknown kind/],
  ['a ready frame in the middle of a run', 'y', /unknown kind/],
  ['a marker that does not exist', `q${done}`, /unknown kind/],
  ['an end without an outcome', 'e', /without an outcome/],
  ['an outcome while it waits', `w${done}`, /out of place/],
  ['a record of an unknown kind', 'w?', /cannot be read/],
  ['a record that breaks off', 'wc1:1', /cannot be read/],
  ['a length that is longer than the frame', 'wl3:log99:x', /cannot be read/],
  ['a negative length', 'wl3:log-1:x', /cannot be read/],
  ['a length that is not a whole number', 'wl3:log1.5:xx', /cannot be read/],
  ['a length that is not a number', 'wl3:lognull:x', /cannot be read/],
  ['a length beyond all numbers', `wl3:log${'9'.repeat(400)}:x`, /cannot be read/],
  ['a call with the id of an earlier one', `w${call('1')}${call('1')}`, /out of order/],
  ['a call that skips an id', `w${call('2')}`, /out of order/],
  ['a call with an id that is not a number', `w${call('__proto__')}`, /out of order/],
  ['a call with an id that only looks the same', `w${call('01')}`, /out of order/],
  ['more calls at once than allowed', `w${call('1')}${call('2')}${call('3')}`, /more calls at once/],
  ['a console level that does not exist', `w${line('x', 'constructor')}`, /unknown level/],
  ['more console output than allowed', `w${line('x'.repeat(100))}`, /more console output/],
  ['lines that are empty, without end', `w${line('').repeat(101)}`, /more console output/],
  ['a count of dropped bytes that is negative', `w${codec.encode('d', '-5')}`, /a count that is not a number of bytes/],
  [
    'a count of dropped bytes that is endless',
    `w${codec.encode('d', 'Infinity')}`,
    /a count that is not a number of bytes/,
  ],
  ['two counts of dropped bytes', `w${codec.encode('d', '1').repeat(2)}`, /a record twice/],
  ['two times', `w${codec.encode('t', '1').repeat(2)}`, /a record twice/],
  ['a time that is not a number', `w${codec.encode('t', 'soon')}`, /a delay that is not a valid time/],
  ['a time beyond all timers', `w${codec.encode('t', '1e300')}`, /a delay that is not a valid time/],
  ['a limit that does not exist', `e${codec.encode('k', 'toString', '')}`, /out of place/],
];

for (const [what, frame, says] of forged) {
  test(`a forged frame ends its process and not the host: ${what}`, async () => {
    const { outcome, guests } = await runAgainst((guest) => guest.say(frame));
    assert.equal(outcome.status, 'crashed');
    assert.match(outcome.status === 'crashed' ? outcome.message : '', says);
    assert.equal(guests[0]?.killed, true);
  });
}

test('a frame that announces more than the limit is refused before it is buffered', async () => {
  const header = Buffer.alloc(4);
  header.writeUInt32LE(maxFrameBytes + 1);
  const { outcome } = await runAgainst((guest) => guest.sayBytes(header));
  assert.match(outcome.status === 'crashed' ? outcome.message : '', new RegExp(`limit is ${maxFrameBytes}`));
});

test('invalid UTF-8 becomes replacement characters and causes no error', async () => {
  const body = Buffer.from([0x65, 0x72, 0x33, 0x3a, 0xff, 0xfe, 0xc0]);
  const header = Buffer.alloc(4);
  header.writeUInt32LE(body.length);
  const { outcome } = await runAgainst((guest) => guest.sayBytes(Buffer.concat([header, body])));
  assert.deepEqual(outcome.status === 'ok' && outcome.value, '\ufffd\ufffd\ufffd');
});

test('frames may come in pieces, and several in one piece', async () => {
  const whole = Buffer.concat(['w' + line('one'), 'w' + line('two'), `e${done}`].map((text) => frameOf(text)));
  const { outcome, lines } = await runAgainst((guest) => {
    for (const byte of whole) guest.sayBytes(Buffer.from([byte]));
  });
  assert.equal(outcome.status, 'ok');
  assert.deepEqual(lines, ['one', 'two']);
  const together = await runAgainst((guest) => guest.sayBytes(whole));
  assert.deepEqual(together.lines, ['one', 'two']);
});

test('records after the outcome in the same frame are ignored', async () => {
  const { outcome, lines, calls } = await runAgainst((guest) => guest.say(`e${done}${call('1')}${line('late')}`));
  assert.equal(outcome.status, 'ok');
  assert.deepEqual([calls, lines], [[], []]);
});

test('a call beyond maxCalls ends the run at its limit', async () => {
  let next = 0;
  const { outcome, calls } = await runAgainst((guest) => guest.say(`w${call(String(++next))}`));
  assert.equal(outcome.status === 'limit' && outcome.limit, 'calls');
  assert.equal(calls.length, 3);
});

test('a value over its limit is refused on the host too', async () => {
  const { outcome, guests } = await runAgainst((guest) => guest.say(`e${codec.encode('r', 'ä'.repeat(51))}`));
  assert.equal(outcome.status === 'limit' && outcome.limit, 'result');
  assert.equal(guests[0]?.killed, true);
});

test('a position after the code is moved to its end, and an invalid position is left out', async () => {
  const failed = async (place: string, column: string): Promise<unknown> => {
    const { outcome } = await runAgainst((guest) =>
      guest.say(`e${codec.encode('x', 'Error', 'm', '', place, column)}`),
    );
    return outcome.status === 'error' ? [outcome.error.line, outcome.error.column] : outcome;
  };
  assert.deepEqual(await failed('2', '3'), [2, 3]);
  assert.deepEqual(await failed('3', '1'), [2, 6]);
  assert.deepEqual(await failed('-1', '1'), [undefined, undefined]);
  assert.deepEqual(await failed('1e3', 'NaN'), [undefined, undefined]);
});

test('a process that sends a frame without a run is ended', async () => {
  const { guests } = await runAgainst((guest) => {
    guest.say(`e${done}`);
    guest.say('y');
    guest.say('y');
  });
  assert.equal(guests[0]?.killed, true);
});

function frameOf(text: string): Buffer {
  const body = Buffer.from(text);
  const header = Buffer.alloc(4);
  header.writeUInt32LE(body.length);
  return Buffer.concat([header, body]);
}
