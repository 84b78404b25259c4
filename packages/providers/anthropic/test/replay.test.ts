import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { readRecordings } from '@ravi/testkit';
import { test } from 'vitest';
import type { MessagesRequest } from '../src/index.ts';
import { requestOracles } from './oracles.ts';
import { replaysOf, requestsOf } from './replay.ts';
import { wireProblems } from './wire-problems.ts';

const recordings = readRecordings(/^anthropic-messages$/u);
const recorded = recordings === undefined ? test.skip : test;
const oracles = recordings === undefined ? undefined : requestOracles();

/**
 * Returns the problems that oracles find in a request, with betas if it needs one. The specification is older than the
 * advisor.
 */
function problemsOf({ body, betas }: MessagesRequest): string[] {
  const text = JSON.stringify(body);
  const isBeta = betas.length > 0 || /"type":"(advisor|mcp)_/u.test(text);
  const judges = isBeta ? oracles?.beta : oracles?.plain;
  const judged = judges?.flatMap(([name, judge]) => {
    if (name === 'specification' && text.includes('"type":"advisor_')) return [];
    const problem = judge?.(body);
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
  return [...(judged ?? []), ...wireProblems(body)];
}

recorded('a response is sent back as its provider accepted it (needs the shared recordings)', () => {
  const compared = (recordings ?? []).flatMap(replaysOf).filter(({ theirs }) => theirs !== undefined);
  const different = compared
    .filter(({ ours, theirs }) => !isDeepStrictEqual(ours, theirs))
    .map(({ name, ours, theirs }) => `${name}: ${JSON.stringify(ours)} instead of ${JSON.stringify(theirs)}`);
  console.log(`${compared.length} responses sent back, ${different.length} differently`);
  assert.deepEqual(different, []);
  assert.ok(compared.length > 15);
});

recorded(
  'every conversation that continues a recorded response is a valid request (needs the shared recordings)',
  () => {
    const replays = (recordings ?? []).flatMap(replaysOf);
    const invalid = replays.flatMap(({ name, encoded }) =>
      encoded.flatMap((request) => problemsOf(request).map((problem) => `${name}: ${problem}`)),
    );
    console.log(`${replays.length * 2} histories encoded, ${invalid.length} invalid`);
    assert.deepEqual(invalid.slice(0, 10), []);
    assert.ok(replays.length > 100);
  },
);

recorded('every recorded request is a valid one as we say it (needs the shared recordings)', () => {
  const requests = (recordings ?? []).flatMap(requestsOf);
  const invalid = requests.flatMap(({ name, encoded }) => problemsOf(encoded).map((problem) => `${name}: ${problem}`));
  console.log(`${requests.length} recorded requests encoded again, ${invalid.length} invalid`);
  assert.deepEqual(invalid.slice(0, 10), []);
  assert.ok(requests.length > 100);
});
