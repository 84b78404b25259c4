import assert from 'node:assert/strict';
import { test } from 'vitest';
import { answerTo } from '../src/ask.ts';
import type { Question } from '@ravi/kernel';

const asking = (...questions: readonly Question[]) => ({ questions });

test('an answer names the only question that the run was shown with, so that it is none to a later one', () => {
  const first = { callId: 'call-1', tool: 'ask_user', question: 'Which?' };
  assert.deepEqual(answerTo(asking(first), 'this'), { answer: { 'call-1': 'this' } });
  const second = { callId: 'call-2', tool: 'ask_user', question: 'When?' };
  const both = { 'call-1': 'this', 'call-2': 'that' };
  assert.deepEqual(answerTo(asking(first, second), JSON.stringify(both)), { answer: both });
  for (const run of [asking(first, second), asking()]) assert.deepEqual(answerTo(run, 'this'), { answer: 'this' });
});
