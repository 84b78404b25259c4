import assert from 'node:assert/strict';
import { test } from 'vitest';
import { decodeBody, decodeStream, plainContext } from './decode-recorded.ts';

const citation = { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A' } };
const logprob = (token: string): object => ({ token, logprob: -0.1, top_logprobs: [] });

test('annotations, logprobs, cost and tier of a chat response reach the caller, whole or streamed', () => {
  const expected = {
    service_tier: 'flex',
    logprobs: { content: [logprob('Hel'), logprob('lo')] },
    annotations: [citation],
    cost: 0.002,
  };
  const whole = decodeBody('chat', {
    service_tier: 'flex',
    choices: [
      {
        index: 0,
        message: { content: 'Hello', annotations: [citation] },
        logprobs: { content: [logprob('Hel'), logprob('lo')] },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, cost: 0.002 },
  });
  assert.deepEqual(whole.finish?.details, expected);
  const chunks = [
    {
      service_tier: 'flex',
      choices: [{ index: 0, delta: { content: 'Hel' }, logprobs: { content: [logprob('Hel')] } }],
    },
    {
      choices: [
        { index: 0, delta: { content: 'lo', annotations: [citation] }, logprobs: { content: [logprob('lo')] } },
      ],
    },
    { choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, cost: 0.002 } },
  ];
  const stream = [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'].join('');
  assert.deepEqual(decodeStream('chat', stream, plainContext).finish?.details, expected);
});

test('annotations, logprobs and tier of a Responses response reach the caller', () => {
  const part = { type: 'output_text', text: 'Hello', annotations: [citation], logprobs: [logprob('Hello')] };
  const { finish } = decodeBody('responses', {
    status: 'completed',
    service_tier: 'priority',
    output: [{ type: 'message', id: 'm', role: 'assistant', content: [part] }],
  });
  assert.deepEqual(finish?.details, {
    annotations: [citation],
    logprobs: [logprob('Hello')],
    service_tier: 'priority',
  });
});

test('a response without such facts has no details', () => {
  const { finish } = decodeBody('chat', { choices: [{ index: 0, message: { content: 'x' }, finish_reason: 'stop' }] });
  assert.equal(finish !== undefined && 'details' in finish, false);
});
