import assert from 'node:assert/strict';
import { decodeBody, decodeStream, differences, inBytes } from '@ravi/provider-testing';
import type { Comparison } from '@ravi/provider-testing';
import { readRecordings } from '@ravi/testkit';
import type { CollectedAnswer, RecordedInteraction } from '@ravi/testkit';
import type { ModelStopReason } from '@ravi/kernel';
import { test } from 'vitest';
import { decoderFor } from './settings.ts';

const recordings = readRecordings(/^anthropic-messages$/u);
const interactions = (recordings ?? []).flatMap(({ name, interactions: all }) =>
  all
    .map((interaction, at) => ({ name: `${name}#${at}`, interaction }))
    .filter(({ interaction }) => interaction.request.path.startsWith('/v1/messages')),
);
const recorded = recordings === undefined ? test.skip : test;

const reasons: Readonly<Record<string, ModelStopReason>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  tool_use: 'tool-use',
  max_tokens: 'length',
  refusal: 'refusal',
  pause_turn: 'pause',
};
const comparison: Comparison = {
  reasonsFor: (finish = '') => [reasons[finish] ?? 'other'],
  outputTokensOf: ({ output_tokens: tokens }) => (typeof tokens === 'number' ? tokens : undefined),
};

function decode({ response }: RecordedInteraction): CollectedAnswer {
  const { text, body } = response;
  return text === undefined ? decodeBody(decoderFor(), body) : decodeStream(decoderFor(), [text]);
}

recorded('every recorded response is read as the official library reads it (needs the shared recordings)', () => {
  const compared = interactions.filter(({ interaction }) => interaction.expected !== undefined);
  const found = compared.flatMap(({ name, interaction }) =>
    differences(decode(interaction), interaction, comparison).map((difference) => `${name}: ${difference}`),
  );
  console.log(`${compared.length} recorded responses decoded, ${found.length} differences`);
  assert.deepEqual(found, []);
  assert.ok(compared.length > 100);
});

recorded('every recorded stream gives the same events in pieces of one byte (needs the shared recordings)', () => {
  let count = 0;
  for (const { name, interaction } of interactions) {
    const { text } = interaction.response;
    if (text === undefined) continue;
    count++;
    const whole = decodeStream(decoderFor(), [text]);
    assert.deepEqual(decodeStream(decoderFor(), inBytes(text)).events, whole.events, name);
  }
  console.log(`${count} recorded streams decoded byte by byte`);
  assert.ok(count > 15);
});
