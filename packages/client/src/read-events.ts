/** One server-sent event. */
export interface ServerSentEvent {
  /** Empty when the event has none. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/** Reads server-sent events as Ravi's servers write them: lines that end in LF. Drops comments and cut-off events. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  // Not `for await` over the body: some browsers cannot iterate a stream.
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const frames = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const event = parseFrame(frame);
        if (event.data !== '') yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function parseFrame(frame: string): ServerSentEvent {
  const fields = { id: '', type: 'message', data: '' };
  for (const line of frame.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name === 'id') fields.id = value;
    if (name === 'event') fields.type = value;
    if (name === 'data') fields.data += fields.data === '' ? value : `\n${value}`;
  }
  return fields;
}
