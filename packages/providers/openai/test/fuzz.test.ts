import assert from 'node:assert/strict';
import { damaged } from '@ravi/provider-testing';
import { createSeededRandom } from '@ravi/testkit';
import { test } from 'vitest';
import { decodeStream } from './decode-recorded.ts';
import { chatCallStream, responsesCallStream } from './streams.ts';

const streams = [
  ['chat', chatCallStream],
  ['responses', responsesCallStream],
] as const;
const rounds = 20_000;

function executable(response: ReturnType<typeof decodeStream>): string[] {
  return response.blocks.flatMap((block) =>
    block.type === 'tool_use' && block.invalid === undefined
      ? [JSON.stringify([block.id, block.name, block.arguments])]
      : [],
  );
}

for (const [api, stream] of streams) {
  test(`${rounds} damaged ${api} streams all end once, and the arguments of every call are an object`, () => {
    const random = createSeededRandom(20_261_120);
    let failed = 0;
    for (let round = 0; round < rounds; round++) {
      const broken = damaged(stream, random);
      const response = decodeStream(api, [broken]);
      if (response.error !== undefined) failed++;
      const ids = response.blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
      assert.equal(new Set(ids).size, ids.length, broken);
      for (const block of response.blocks) {
        if (block.type === 'tool_use') assert.equal(Object.prototype.toString.call(block.arguments), '[object Object]');
      }
    }
    console.log(`${rounds} damaged ${api} streams: ${failed} errors, the others read`);
    assert.ok(failed > 0 && failed < rounds);
  });

  test(`a ${api} stream truncated anywhere contains only calls of the complete one, never half a call`, () => {
    const whole = executable(decodeStream(api, [stream]));
    for (let at = 0; at < stream.length; at++) {
      const made = executable(decodeStream(api, [stream.slice(0, at)]));
      assert.deepEqual(made, whole.slice(0, made.length), stream.slice(Math.max(0, at - 80), at));
    }
  });
}

test('a chat response that a limit cuts anywhere contains no call with half of its arguments', () => {
  const events = chatCallStream.split('\n\n');
  const limit = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}';
  const whole = executable(decodeStream('chat', [chatCallStream]));
  for (let at = 0; at < events.length - 3; at++) {
    const response = decodeStream('chat', [[...events.slice(0, at), limit, 'data: [DONE]', ''].join('\n\n')]);
    const made = executable(response);
    assert.deepEqual(made, whole.slice(0, made.length));
    assert.equal(response.finish?.reason, 'length');
  }
});

test('calls in pieces of any length, with any characters, in any order, with and without index, are decoded unchanged', () => {
  const random = createSeededRandom(7);
  const letters = ['a', '"', '\\', '\n', 'é', '😀', '{', '}', '\u0007', 'arguments', '":"'];
  for (let round = 0; round < 2000; round++) {
    const written = Array.from({ length: 1 + random.below(3) }, (_, index) => ({
      index,
      args: { text: Array.from({ length: random.below(60) }, () => random.pick(letters)).join('') },
    }));
    const hasIndex = written.length > 1 || random.below(2) === 0;
    const events: object[] = [];
    const rests = written.map(({ index, args }) => {
      events.push({ ...(hasIndex ? { index } : {}), id: `c${index}`, function: { name: 'go', arguments: '' } });
      return { index, rest: JSON.stringify(args) };
    });
    for (let open = rests; open.length > 0; open = open.filter(({ rest }) => rest !== '')) {
      const turn = random.pick(open);
      const length = 1 + random.below(4);
      events.push({ ...(hasIndex ? { index: turn.index } : {}), function: { arguments: turn.rest.slice(0, length) } });
      turn.rest = turn.rest.slice(length);
    }
    const deltas = events.map((call) => ({
      choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }],
    }));
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };
    const stream = [...deltas, end].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
    const { blocks, events: told } = decodeStream('chat', [stream]);
    assert.deepEqual(
      blocks.map((block) => (block.type === 'tool_use' ? block.arguments : block)),
      written.map(({ args }) => args),
    );
    const deltaText = told
      .map((event) => (event.type === 'tool-call-delta' && event.id === 'c0' ? event.text : ''))
      .join('');
    assert.equal(deltaText, JSON.stringify(written[0]?.args));
  }
});
