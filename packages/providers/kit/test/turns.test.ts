import assert from 'node:assert/strict';
import type { ContentBlock, ModelMessage } from '@ravi/kernel';
import { test } from 'vitest';
import { arrangeTurns } from '../src/index.ts';

const call = (id: string): ContentBlock => ({ type: 'tool_use', id, name: 'get', arguments: {} });
const result = (toolUseId: string, text: string): ContentBlock => ({
  type: 'tool_result',
  toolUseId,
  isError: false,
  content: [{ type: 'text', text }],
});
const says = (role: 'user' | 'assistant', ...content: ContentBlock[]): ModelMessage => ({ role, content });

function pairs(messages: readonly ModelMessage[]): string[] {
  return arrangeTurns(messages).turns.flatMap((turn) =>
    turn.role === 'user'
      ? []
      : turn.results.map(({ call: { id }, result: response }) => {
          assert.equal(response.toolUseId, id);
          const [block] = response.content;
          return `${id}=${block?.type === 'text' ? block.text : ''}${response.isError ? '!' : ''}`;
        }),
  );
}

test('results are in the order of their calls, regardless of their own order and message', () => {
  const messages = [
    says('assistant', call('a'), call('b'), call('c')),
    says('user', result('c', '3')),
    says('user', { type: 'text', text: 'and?' }, result('a', '1'), result('b', '2')),
  ];
  assert.deepEqual(pairs(messages), ['a=1', 'b=2', 'c=3']);
  assert.deepEqual(
    arrangeTurns(messages).turns.map(({ role, content }) => [role, content.length]),
    [
      ['assistant', 3],
      ['user', 1],
    ],
  );
});

test('a call without a result gets an error result', () => {
  const found = pairs([says('assistant', call('a'), call('b')), says('user', result('b', '2'))]);
  assert.match(found[0] ?? '', /^a=There is no result.*!$/u);
  assert.equal(found[1], 'b=2');
});

test('ids that repeat across turns or within a turn, or are empty, still pair each call with its own result', () => {
  const turn = (text: string): ModelMessage[] => [says('assistant', call('x')), says('user', result('x', text))];
  assert.deepEqual(pairs([...turn('1'), ...turn('2')]), ['x=1', 'x~2=2']);
  assert.deepEqual(pairs([says('assistant', call('x'), call('x')), says('user', result('x', '1'), result('x', '2'))]), [
    'x=1',
    'x~2=2',
  ]);
  assert.deepEqual(pairs([says('assistant', call('')), says('user', result('', '1'))]), ['call=1']);
  const abandoned = pairs([says('assistant', call('x')), ...turn('2')]);
  assert.match(abandoned[0] ?? '', /^x=There is no result/u);
  assert.equal(abandoned[1], 'x~2=2');
});

test('a result without a call, and a second result of a call, are dropped with a warning', () => {
  const messages = [
    says('user', result('gone', '0')),
    says('assistant', call('a')),
    says('user', result('a', '1'), result('a', 'again')),
  ];
  assert.deepEqual(pairs(messages), ['a=1']);
  assert.equal(arrangeTurns(messages).orphans.length, 2);
});
