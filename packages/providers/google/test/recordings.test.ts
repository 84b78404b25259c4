import assert from 'node:assert/strict';
import { differences, inBytes } from '@ravi/provider-testing';
import { readRecordings } from '@ravi/testkit';
import { test } from 'vitest';
import { comparison, contextOf, decodeInteraction, decodeStream, streamIn, withoutMadeIds } from './decode-recorded.ts';

const recordings = readRecordings(/^gemini(-vertex)?$/u);
const interactions = (recordings ?? []).flatMap(({ name, interactions: all }) =>
  all
    .map((interaction, at) => ({ name: `${name}#${at}`, interaction }))
    .filter(({ interaction }) => /enerateContent/u.test(interaction.request.path)),
);
const recorded = recordings === undefined ? test.skip : test;

/** Requested as one list with numeric field names, a format that only its own client reads. */
const otherForm = /gemini_token_counts_streaming\.json#0$/u;

recorded('every recorded response is read as the official library reads it (needs the shared recordings)', () => {
  const found: string[] = [];
  let count = 0;
  for (const { name, interaction } of interactions) {
    if (interaction.expected === undefined || otherForm.test(name)) continue;
    count++;
    // Hosted calls are not ours, but the official library lists them with the others.
    const context = { ...contextOf(interaction), isHosted: () => false };
    const response = decodeInteraction(interaction, context);
    found.push(
      ...differences(response, withoutMadeIds(interaction), comparison).map((difference) => `${name}: ${difference}`),
    );
  }
  console.log(`${count} recorded responses decoded, ${found.length} differences`);
  assert.deepEqual(found, []);
  assert.ok(count > 100);
});

recorded('every recorded stream gives the same events in pieces of one byte (needs the shared recordings)', () => {
  let count = 0;
  for (const { name, interaction } of interactions) {
    const text = streamIn(interaction);
    if (text === undefined) continue;
    count++;
    assert.deepEqual(decodeStream(inBytes(text)).events, decodeStream([text]).events, name);
  }
  console.log(`${count} recorded streams decoded byte by byte`);
  assert.ok(count > 25);
});
