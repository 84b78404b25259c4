import assert from 'node:assert/strict';
import { countTokens as countAtOnce } from 'gpt-tokenizer/encoding/o200k_base';
import type { FunctionSpec } from '@ravi/kernel';
import { test } from 'vitest';
import { compare } from '../src/conversation/compare.ts';
import { countTokens } from '../src/conversation/count-tokens.ts';

test('a long text counts as it does at once, but for a token for each cut', async () => {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, delay: id % 97 })));
  const [pieces, whole] = [await countTokens(text), countAtOnce(text)];
  assert.ok(pieces >= whole && pieces - whole <= Math.ceil(text.length / 65_536), `${pieces} and ${whole}`);
});

test('a conversation carries every result into every later turn, a script only itself and its output', async () => {
  const spec = (name: string): FunctionSpec => ({ type: 'function', name, description: name, parameters: {} });
  const [tool, chain] = [spec('read'), spec('tool_chain')];
  const payloads = ['first', 'second'].map((text) => ({ callId: text, tool: 'read', args: { text }, text }));
  const comparison = await compare({ payloads, specs: [tool, chain], script: 'return 1', output: '1' });

  const definitions = countAtOnce(JSON.stringify([tool]));
  const [first = 0, second = 0] = payloads.map(
    ({ args, text }) => countAtOnce(`read(${JSON.stringify(args)})`) + countAtOnce(text),
  );
  assert.equal(comparison.plainTurns, 3);
  assert.equal(comparison.plainContext, first + second);
  assert.equal(comparison.plainInput, 3 * definitions + first + (first + second));
  assert.equal(comparison.chainContext, countAtOnce('return 1') + countAtOnce('1'));
  assert.equal(comparison.chainInput, 2 * countAtOnce(JSON.stringify([chain])) + comparison.chainContext);
});
