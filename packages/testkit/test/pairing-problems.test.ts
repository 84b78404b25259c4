import assert from 'node:assert/strict';
import { test } from 'vitest';
import { textBlock } from '@ravi/kernel';
import type { ContentBlock, ModelMessage } from '@ravi/kernel';
import { pairingProblems } from '../src/index.ts';

const user = (...content: ContentBlock[]): ModelMessage => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): ModelMessage => ({ role: 'assistant', content });
const call = (id: string): ContentBlock => ({ type: 'tool_use', id, name: 'look', arguments: {} });
const result = (toolUseId: string): ContentBlock => ({ type: 'tool_result', toolUseId, content: [], isError: false });
const text = textBlock('x');

test('a conversation in which each call has its result in order is good', () => {
  const messages = [
    user(text),
    assistant(text, call('a'), call('b')),
    user(result('a'), result('b'), text),
    assistant(text),
    assistant(text),
    user(text),
  ];
  assert.deepEqual(pairingProblems(messages), []);
  assert.deepEqual(pairingProblems([]), []);
});

test('calls that wait for an answer are good when they are named', () => {
  const messages = [user(text), assistant(call('a'), call('b')), user(result('b'))];
  assert.deepEqual(pairingProblems(messages, { openCalls: ['a'] }), []);
  assert.deepEqual(pairingProblems(messages.slice(0, 2), { openCalls: ['a', 'b'] }), []);
  assert.equal(pairingProblems(messages).length, 1);
});

const bad: Readonly<Record<string, readonly ModelMessage[]>> = {
  'a call without a result': [user(text), assistant(call('a'))],
  'an answer before the result': [user(text), assistant(call('a')), assistant(text)],
  'a missing result': [user(text), assistant(call('a'), call('b')), user(result('a'))],
  'a result twice': [user(text), assistant(call('a')), user(result('a'), result('a'))],
  'a result of no call': [user(result('a'))],
  'results in another order': [user(text), assistant(call('a'), call('b')), user(result('b'), result('a'))],
  'something before a result': [user(text), assistant(call('a')), user(text, result('a'))],
  'an id twice': [user(text), assistant(call('a')), user(result('a')), assistant(call('a')), user(result('a'))],
  'an empty id': [user(text), assistant(call('')), user(result(''))],
  'two user messages': [user(text), user(text)],
  'an empty user message': [user()],
  'an answer first': [assistant(text)],
  'a call of the user': [user(call('a'))],
  'a result of the model': [user(text), assistant(result('a'))],
};

for (const [what, messages] of Object.entries(bad)) {
  test(`${what} is a problem`, () => assert.notDeepEqual(pairingProblems(messages), []));
}
