import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { ask, image, model, result, text, tool, use, user } from '@ravi/provider-testing';
import { readRecordings } from '@ravi/testkit';
import { test } from 'vitest';
import { encoded } from './encoding.ts';
import { requestOracles } from './oracles.ts';
import { replaysOf } from './replay.ts';

const recordings = readRecordings(/^gemini(-vertex)?$/u);
const recorded = recordings === undefined ? test.skip : test;
/** The official library sends argument pieces back; we assemble them. */
const changedByRecorder = /streaming_function_calling_arguments/u;

const replays = (recordings ?? []).flatMap(replaysOf);

recorded('a response is sent back as its provider accepted it (needs the shared recordings)', () => {
  const compared = replays.filter(({ name, theirs }) => theirs !== undefined && !changedByRecorder.test(name));
  const different = compared
    .filter(({ ours, theirs }) => !isDeepStrictEqual(ours, theirs))
    .map(({ name, ours, theirs }) => `${name}: ${JSON.stringify(ours)} instead of ${JSON.stringify(theirs)}`);
  console.log(`${compared.length} responses sent back, ${different.length} differently`);
  assert.deepEqual(different, []);
  assert.ok(compared.length > 30);
});

recorded(
  'every conversation that continues a recorded response is a valid request (needs the shared recordings)',
  () => {
    const invalid = replays.flatMap(({ name, encoded }) =>
      requestOracles.flatMap(([oracle, judge]) => {
        const problem = judge?.(encoded.body);
        return problem === undefined ? [] : [`${name}: ${oracle}: ${problem}`];
      }),
    );
    console.log(`${replays.length} histories encoded, ${invalid.length} invalid`);
    assert.deepEqual(invalid.slice(0, 10), []);
    assert.ok(replays.length > 100);
  },
);

test('a history of another provider with all block types is a valid request', () => {
  const { body } = encoded(
    ask(
      [
        user(text('x'), image),
        model(
          { type: 'reasoning', text: 'Hm.' },
          text('I look.'),
          use('toolu_1', { arguments: { a: [1] } }),
          use('toolu_2'),
        ),
        user(result('toolu_1', text('1'), image)),
        model({ type: 'data', data: { a: 1 } }, image, { type: 'error', message: 'oops' }),
      ],
      {
        system: 's',
        tools: [
          tool('go'),
          { type: 'provider', name: 'search', provider: 'google/generate-content', spec: { googleSearch: {} } },
        ],
        toolChoice: { oneOf: ['go'] },
        reasoning: { effort: 'medium', summary: true },
        sampling: {
          temperature: 1,
          topP: 1,
          topK: 1,
          seed: 1,
          presencePenalty: 1,
          frequencyPenalty: 1,
          stopSequences: ['.'],
        },
        output: { schema: { type: 'object' } },
        maxOutputTokens: 5,
      },
    ),
  );
  for (const [name, judge] of requestOracles) assert.equal(judge?.(body), undefined, name);
});
