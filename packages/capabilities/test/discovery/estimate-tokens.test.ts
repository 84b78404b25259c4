import { encode } from 'gpt-tokenizer';
import { expect, test } from 'vitest';
import { estimateTokens } from '@ravi/support';
import { toolGroups } from '../../src/discovery/tool-overview.ts';
import { toolDeclarations } from '../../src/declarations/tool-declarations.ts';
import { realTools, realToolsMissing } from './shared-tools.ts';

test.each([
  ['', 0],
  ['get_weather', 3],
  ['one two three', 3],
  ['2026', 2],
])('%j is estimated at %i tokens', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test('text of spaces, lines or one letter is estimated without delay', () => {
  for (const piece of [' ', '\n', 'a', '_', '1', '{', '字'])
    expect(estimateTokens(piece.repeat(1e6))).toBeLessThan(1e6 + 1);
});

test.skipIf(realToolsMissing)(
  'declarations of real tools never have more tokens than estimated, and at most half as many again (skipped: no file)',
  () => {
    const tools = realTools();
    for (let first = 0; first < tools.length; first += 50) {
      const set = tools.slice(first, first + 50);
      const names = set.map(({ name }) => name);
      for (const text of [toolDeclarations(set).text, names.join(', '), toolGroups(names, 10_000)]) {
        const tokens = encode(text).length;
        expect(estimateTokens(text)).toBeGreaterThanOrEqual(tokens);
        expect(estimateTokens(text)).toBeLessThanOrEqual(1.5 * tokens);
      }
    }
  },
);
