import assert from 'node:assert/strict';
import { inBytes } from '@ravi/provider-testing';
import { readRecordings } from '@ravi/testkit';
import { test } from 'vitest';
import { apiOf, decodeInteraction, decodeStream, differences } from './decode-recorded.ts';

const recordings = readRecordings(/^(openai|compat)-(chat|responses)/u);
const interactions = (recordings ?? []).flatMap(({ name, interactions: all }) =>
  all.map((interaction, at) => ({ name: `${name}#${at}`, interaction })),
);
const recorded = recordings === undefined ? test.skip : test;

/** Stream without a finish reason but with `[DONE]`: we read it as a complete response, other libraries fail. */
const lenient = /snowflake_model_streaming\.json#0$/u;

recorded('every recorded response is read as the official library reads it (needs the shared recordings)', () => {
  const found: string[] = [];
  let count = 0;
  for (const { name, interaction } of interactions) {
    if (interaction.expected === undefined || lenient.test(name)) continue;
    count++;
    found.push(
      ...differences(name, decodeInteraction(interaction), interaction).map((difference) => `${name}: ${difference}`),
    );
  }
  console.log(`${count} recorded responses decoded, ${found.length} differences`);
  assert.deepEqual(found, []);
  assert.ok(count > 400);
});

recorded('every recorded stream gives the same events in pieces of one byte (needs the shared recordings)', () => {
  let count = 0;
  for (const { name, interaction } of interactions) {
    const { text } = interaction.response;
    if (text === undefined) continue;
    count++;
    const whole = decodeStream(apiOf(interaction), [text]);
    assert.deepEqual(decodeStream(apiOf(interaction), inBytes(text)).events, whole.events, name);
  }
  console.log(`${count} recorded streams decoded byte by byte`);
  assert.ok(count > 100);
});
