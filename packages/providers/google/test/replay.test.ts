import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { readRecordings } from '@ravi/testkit';
import { test } from 'vitest';
import { requestOracles } from './oracles.ts';
import { replaysOf } from './replay.ts';

const recordings = readRecordings(/^gemini(-vertex)?$/u);
const recorded = recordings === undefined ? test.skip : test;
/** The official library sends the pieces of arguments back; here they are put together. */
const changedByRecorder = /streaming_function_calling_arguments/u;

const replays = (recordings ?? []).flatMap(replaysOf);

recorded('an answer goes back as its provider accepted it (needs the shared recordings)', () => {
  const compared = replays.filter(({ name, theirs }) => theirs !== undefined && !changedByRecorder.test(name));
  const different = compared
    .filter(({ ours, theirs }) => !isDeepStrictEqual(ours, theirs))
    .map(({ name, ours, theirs }) => `${name}: ${JSON.stringify(ours)} instead of ${JSON.stringify(theirs)}`);
  console.log(`${compared.length} answers sent back, ${different.length} differently`);
  assert.deepEqual(different, []);
  assert.ok(compared.length > 30);
});

recorded(
  'every conversation that goes on from a recorded answer is a valid request (needs the shared recordings)',
  () => {
    const invalid = replays.flatMap(({ name, encoded }) =>
      requestOracles().flatMap(([oracle, judge]) => {
        const problem = judge?.(encoded.body);
        return problem === undefined ? [] : [`${name}: ${oracle}: ${problem}`];
      }),
    );
    console.log(`${replays.length} histories encoded, ${invalid.length} invalid`);
    assert.deepEqual(invalid.slice(0, 10), []);
    assert.ok(replays.length > 100);
  },
);
