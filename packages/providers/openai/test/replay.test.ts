import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { specOracle } from '@ravi/provider-testing';
import { readRecordings } from '@ravi/testkit';
import { test } from 'vitest';
import { oracleTest, requestOracles, withoutExtensions } from './oracles.ts';
import { replaysOf } from './replay.ts';

const recordings = readRecordings(/^(openai|compat)-(chat|responses)/u);
const recorded = recordings === undefined ? test.skip : test;

/**
 * Recordings whose recorder did not send back what it received: reasoning as text, reformatted arguments, a changed
 * history, a response of another provider, or another conversation.
 */
const changedByRecorder =
  /groq_test_tool_use_failed|agents_and_tools|modified_history|mistral_model_thinking_part|prompt_caching_streaming_probe|replay_own_reasoning_history|native_tool_search_gpt_5_6/u;

recorded('a response is sent back as its provider accepted it (needs the shared recordings)', () => {
  const compared = (recordings ?? [])
    .flatMap(replaysOf)
    .filter(({ name, theirs }) => theirs !== undefined && !changedByRecorder.test(name));
  const different = compared
    .filter(({ ours, theirs }) => !isDeepStrictEqual(ours, theirs))
    .map(({ name, ours, theirs }) => `${name}: ${JSON.stringify(ours)} instead of ${JSON.stringify(theirs)}`);
  console.log(`${compared.length} responses sent back, ${different.length} differently`);
  assert.deepEqual(different, []);
  assert.ok(compared.length > 80);
});

recorded(
  'every conversation that continues a recorded response is a valid request (needs the shared recordings)',
  oracleTest,
  () => {
    const oracles = {
      ...requestOracles(),
      mistral: [['specification of Mistral', specOracle('mistral', 'ChatCompletionRequest')]],
      openrouter: [['specification of OpenRouter', specOracle('openrouter', 'ChatRequest')]],
    } as const;
    const replays = (recordings ?? []).flatMap(replaysOf);
    const invalid = replays.flatMap(({ name, api, dialect, encoded }) => {
      const judges =
        api === 'chat' && (dialect === 'mistral' || dialect === 'openrouter') ? oracles[dialect] : oracles[api];
      const body = dialect === 'openai' || dialect === 'openrouter' ? encoded.body : withoutExtensions(encoded.body);
      return judges.flatMap(([oracle, judge]) => {
        const problem = judge?.(body);
        return problem === undefined ? [] : [`${name}: ${oracle}: ${problem}`];
      });
    });
    console.log(`${replays.length} histories encoded, ${invalid.length} invalid`);
    assert.deepEqual(invalid.slice(0, 10), []);
  },
);
