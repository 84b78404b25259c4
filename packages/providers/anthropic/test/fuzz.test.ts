import assert from 'node:assert/strict';
import { damaged, decodeStream } from '@ravi/provider-testing';
import { createSeededRandom } from '@ravi/testkit';
import type { CollectedAnswer } from '@ravi/testkit';
import { test } from 'vitest';
import { decoderFor } from './settings.ts';
import { callStream, json, message, start, stop, use } from './streams.ts';

const rounds = 20_000;
const streams = [
  ['a finished', callStream, false],
  [
    'a cut',
    message([start(0, use('toolu_1', 'go')), json(0, '{"path":'), json(0, '"/tmp'), stop(0)], 'max_tokens'),
    true,
  ],
] as const;

/** Returns descriptions of the calls that would run. */
function runnable({ blocks }: CollectedAnswer): readonly string[] {
  return blocks.flatMap((block) =>
    block.type === 'tool_use' && block.invalid === undefined ? [JSON.stringify([block.name, block.arguments])] : [],
  );
}

for (const [name, stream, isCut] of streams) {
  test(`${rounds} damaged versions of ${name} stream all end once, and every call has a unique id and an object`, () => {
    const random = createSeededRandom(20_261_120);
    let failed = 0;
    for (let round = 0; round < rounds; round++) {
      const broken = damaged(stream, random);
      const response = decodeStream(decoderFor(), [broken]);
      if (response.error !== undefined) failed++;
      const calls = response.blocks.filter((block) => block.type === 'tool_use');
      assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length, broken);
      for (const { arguments: args, invalid } of calls) {
        assert.equal(Object.prototype.toString.call(args), '[object Object]');
        if (invalid !== undefined) assert.deepEqual(args, {}, broken);
      }
      if (isCut) assert.deepEqual(runnable(response), [], broken);
    }
    console.log(`${rounds} damages of ${name} stream: ${failed} errors, the others read`);
    assert.ok(failed > 0 && failed < rounds);
  });

  test(`${name} stream truncated anywhere contains only calls of the complete one`, () => {
    const whole = runnable(decodeStream(decoderFor(), [stream]));
    for (let end = 0; end <= stream.length; end++) {
      const found = runnable(decodeStream(decoderFor(), [stream.slice(0, end)]));
      assert.deepEqual(found, whole.slice(0, found.length), stream.slice(0, end));
    }
  });

  test(`${name} stream split into two pieces anywhere reads the same`, () => {
    const { events } = decodeStream(decoderFor(), [stream]);
    for (let at = 0; at <= stream.length; at++) {
      assert.deepEqual(decodeStream(decoderFor(), [stream.slice(0, at), stream.slice(at)]).events, events);
    }
  });
}
