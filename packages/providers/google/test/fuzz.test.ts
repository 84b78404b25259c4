import assert from 'node:assert/strict';
import { damaged } from '@ravi/provider-testing';
import { createSeededRandom } from '@ravi/testkit';
import { test } from 'vitest';
import { decodeStream } from './decode-recorded.ts';
import { callStream, partialStream } from './streams.ts';

const rounds = 20_000;

function executable(response: ReturnType<typeof decodeStream>): string[] {
  return response.blocks.flatMap((block) =>
    block.type === 'tool_use' && block.invalid === undefined
      ? [JSON.stringify([block.id, block.name, block.arguments])]
      : [],
  );
}

for (const [name, stream] of Object.entries({ 'whole calls': callStream, 'calls in pieces': partialStream })) {
  test(`${rounds} damaged streams of ${name} all end once, and the arguments of every call are an object`, () => {
    const random = createSeededRandom(20_261_120);
    let failed = 0;
    for (let round = 0; round < rounds; round++) {
      const text = damaged(stream, random);
      const response = decodeStream([text]);
      if (response.error !== undefined) failed++;
      const calls = response.blocks.filter((block) => block.type === 'tool_use');
      assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length, text);
      for (const { arguments: args, invalid } of calls) {
        assert.equal(Object.prototype.toString.call(args), '[object Object]', text);
        assert.ok(invalid === undefined || Object.keys(args).length === 0, text);
      }
    }
    console.log(`${rounds} damaged streams of ${name}: ${failed} errors, the others read`);
    assert.ok(failed > 0 && failed < rounds);
  });

  test(`a stream of ${name} truncated anywhere contains only calls of the complete one, never half a call`, () => {
    const whole = executable(decodeStream([stream]));
    assert.equal(whole.length, 2);
    for (let at = 0; at < stream.length; at++) {
      const made = executable(decodeStream([stream.slice(0, at)]));
      assert.deepEqual(made, whole.slice(0, made.length), stream.slice(Math.max(0, at - 80), at));
    }
  });
}

test('a response that a limit cuts anywhere contains no call with half of its arguments', () => {
  const events = partialStream.split('\n\n');
  const limit = 'data: {"candidates":[{"finishReason":"MAX_TOKENS"}]}';
  const whole = executable(decodeStream([partialStream]));
  for (let at = 0; at < events.length - 2; at++) {
    const response = decodeStream([[...events.slice(0, at), limit, ''].join('\n\n')]);
    const made = executable(response);
    assert.deepEqual(made, whole.slice(0, made.length));
    assert.equal(response.finish?.reason, 'length');
  }
});
