import assert from 'node:assert/strict';
import { createSeededRandom } from '@ravi/testkit';
import type { SeededRandom } from '@ravi/testkit';
import { test } from 'vitest';
import { decodeStream } from './decode-recorded.ts';
import { chatCallStream, responsesCallStream } from './streams.ts';

const streams = [
  ['chat', chatCallStream],
  ['responses', responsesCallStream],
] as const;
const rounds = 20_000;

/** One of the ways in which a stream goes wrong on its way. */
function mutated(stream: string, random: SeededRandom): string {
  const at = random.below(stream.length);
  const length = 1 + random.below(40);
  const end = Math.min(stream.length, at + length);
  switch (random.below(6)) {
    case 0:
      return stream.slice(0, at) + stream.slice(end);
    case 1:
      return stream.slice(0, end) + stream.slice(at);
    case 2:
      return stream.slice(0, at) + String.fromCharCode(random.below(0x10000)) + stream.slice(at + 1);
    case 3: {
      const events = stream.split('\n\n');
      const [moved = ''] = events.splice(random.below(events.length), 1);
      events.splice(random.below(events.length + 1), 0, moved);
      return events.join('\n\n');
    }
    case 4:
      return stream.replaceAll(/(null|true|\d+|"m"|\[\])/gu, (value) =>
        random.below(10) === 0 ? random.pick(['null', '{}', '[]', '"x"', '-1', '1e999']) : value,
      );
    default: {
      const events = stream.split('\n\n');
      events.splice(random.below(events.length), 1);
      return events.join('\n\n');
    }
  }
}

function executable(answer: ReturnType<typeof decodeStream>): string[] {
  return answer.blocks.flatMap((block) =>
    block.type === 'tool_use' && block.invalid === undefined
      ? [JSON.stringify([block.id, block.name, block.arguments])]
      : [],
  );
}

for (const [api, stream] of streams) {
  test(`${rounds} damaged ${api} streams all end once, with no call whose arguments are no object`, () => {
    const random = createSeededRandom(20_261_120);
    let failed = 0;
    for (let round = 0; round < rounds; round++) {
      let damaged = stream;
      for (let count = 1 + random.below(3); count > 0; count--) damaged = mutated(damaged, random);
      const answer = decodeStream(api, [damaged]);
      if (answer.error !== undefined) failed++;
      const ids = answer.blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
      assert.equal(new Set(ids).size, ids.length, damaged);
      for (const block of answer.blocks) {
        if (block.type === 'tool_use') assert.equal(Object.prototype.toString.call(block.arguments), '[object Object]');
      }
    }
    console.log(`${rounds} damaged ${api} streams: ${failed} errors, the others read`);
    assert.ok(failed > 0 && failed < rounds);
  });

  test(`a ${api} stream that ends anywhere makes only calls that the whole one makes, and never half of one`, () => {
    const whole = executable(decodeStream(api, [stream]));
    for (let at = 0; at < stream.length; at++) {
      const made = executable(decodeStream(api, [stream.slice(0, at)]));
      assert.deepEqual(made, whole.slice(0, made.length), stream.slice(Math.max(0, at - 80), at));
    }
  });
}

test('a chat answer that a limit ends anywhere makes no call with half of its arguments', () => {
  const events = chatCallStream.split('\n\n');
  const limit = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}';
  const whole = executable(decodeStream('chat', [chatCallStream]));
  for (let at = 0; at < events.length - 3; at++) {
    const answer = decodeStream('chat', [[...events.slice(0, at), limit, 'data: [DONE]', ''].join('\n\n')]);
    const made = executable(answer);
    assert.deepEqual(made, whole.slice(0, made.length));
    assert.equal(answer.finish?.reason, 'length');
  }
});
