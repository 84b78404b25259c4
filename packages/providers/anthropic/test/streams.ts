/** Event of the API. */
export interface WireEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Returns server-sent events with the event names of the API. */
export function sse(events: readonly WireEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

export const start = (index: number, block: object): WireEvent => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
export const delta = (index: number, change: object): WireEvent => ({
  type: 'content_block_delta',
  index,
  delta: change,
});
export const stop = (index: number): WireEvent => ({ type: 'content_block_stop', index });
export const json = (index: number, text: string): WireEvent =>
  delta(index, { type: 'input_json_delta', partial_json: text });
export const use = (id: string, name: string, more: object = {}): object => ({
  type: 'tool_use',
  id,
  name,
  input: {},
  ...more,
});

/** Returns the events of a message with these blocks; without a reason it is truncated after them. */
export function message(blocks: readonly WireEvent[], reason: string | null = 'tool_use', more: object = {}): string {
  const usage = { input_tokens: 10, cache_creation_input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 1 };
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-6', content: [], usage };
  return sse([
    { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null } },
    { type: 'ping' },
    ...blocks,
    ...(reason === null
      ? []
      : [
          {
            type: 'message_delta',
            delta: { stop_reason: reason, stop_sequence: null, ...more },
            usage: { output_tokens: 25 },
          },
          { type: 'message_stop' },
        ]),
  ]);
}

/** Stream of thinking, text, a call in pieces, and a call without arguments. */
export const callStream: string = message([
  start(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'Add' }),
  delta(0, { type: 'thinking_delta', thinking: ' them.' }),
  delta(0, { type: 'signature_delta', signature: 'c2ln' }),
  stop(0),
  start(1, { type: 'text', text: '' }),
  delta(1, { type: 'text_delta', text: 'One ' }),
  delta(1, { type: 'text_delta', text: 'moment.' }),
  stop(1),
  start(2, use('toolu_1', 'math_add')),
  json(2, ''),
  json(2, '{"a"'),
  json(2, ':1}'),
  stop(2),
  start(3, use('toolu_2', 'now')),
  json(3, ''),
  stop(3),
]);
