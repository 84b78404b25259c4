function sse(events: readonly unknown[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

function chunk(delta: object, finish: string | null = null): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}

const piece = (index: number, text: string): object =>
  chunk({ tool_calls: [{ index, function: { arguments: text } }] });
const start = (index: number, id: string, name: string): object =>
  chunk({ role: 'assistant', tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });

/** Stream of two calls in pieces, as of OpenAI's Chat Completions. */
export const chatCallStream: string =
  sse([
    start(0, 'call_1', 'math_add'),
    piece(0, '{"a"'),
    piece(0, ':1}'),
    start(1, 'call_2', 'math_add'),
    piece(1, '{"a":'),
    piece(1, '2}'),
    chunk({}, 'tool_calls'),
    { ...chunk({}), choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
  ]) + 'data: [DONE]\n\n';

const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'math_add',
  arguments: '',
  status: 'in_progress',
};
const doneCall = { ...call, arguments: '{"a":1}', status: 'completed' };
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' };
const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] };
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15, input_tokens_details: { cached_tokens: 4 } };

/** Stream of reasoning and a call, as of OpenAI's Responses. */
export const responsesCallStream: string = sse(
  [
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item: { ...reasoning, encrypted_content: 'sea' } },
    { type: 'response.output_item.done', output_index: 0, item: reasoning },
    { type: 'response.output_item.added', output_index: 1, item: call },
    { type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc_1', delta: '{"a"' },
    { type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc_1', delta: ':1}' },
    { type: 'response.function_call_arguments.done', output_index: 1, item_id: 'fc_1', arguments: '{"a":1}' },
    { type: 'response.output_item.done', output_index: 1, item: doneCall },
    {
      type: 'response.completed',
      response: { ...response, status: 'completed', output: [reasoning, doneCall], usage },
    },
  ].map((event, at) => ({ ...event, sequence_number: at })),
);
