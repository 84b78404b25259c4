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
      const broken = damaged(stream, random);
      const answer = decodeStream(api, [broken]);
      if (answer.error !== undefined) failed++;
      const ids = answer.blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
      assert.equal(new Set(ids).size, ids.length, broken);
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

test('calls in pieces of any length, with any characters, in any turn, with and without index, come out as they were written', () => {
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
