import assert from 'node:assert/strict';
import { test } from 'vitest';
import { createHttpModel } from '../src/index.ts';

test('the size of a context is known by the name of a model, also at a gateway, and unknown for other names', () => {
  const model = createHttpModel({
    id: 'any',
    model: 'gpt-4o-mini',
    refusalOf: (body) => ({ message: String(body) }),
    encode: () => Promise.reject(new Error('unused')),
  });
  const sizes: Readonly<Record<string, number | undefined>> = {
    'gpt-4': 8_192,
    'openai/gpt-4.1-nano': 1_047_576,
    'gpt-5-mini': 272_000,
    'o3-mini': 200_000,
    'anthropic/claude-sonnet-4-5': 200_000,
    'models/gemini-2.5-flash': 1_048_576,
    'my-own-model': undefined,
    'foo3-large': undefined,
  };
  for (const [name, size] of Object.entries(sizes)) assert.equal(model.contextTokens?.(name), size, name);
  assert.equal(model.contextTokens?.(), 128_000);
});
