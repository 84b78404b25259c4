/** One server-sent event. */
export interface ServerEvent {
  /** What to go on after; empty when the event has none. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/** Reads server-sent events as Ravi's servers write them: whole frames, lines that end in LF. Comments are dropped. */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const event = parseFrame(frame);
      if (event.data !== '') yield event;
    }
  }
}

function parseFrame(frame: string): ServerEvent {
  const fields = { id: '', type: 'message', data: '' };
  for (const line of frame.split('\n')) {
    const [, name, value = ''] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (name === 'id') fields.id = value;
    if (name === 'event') fields.type = value;
    if (name === 'data') fields.data += fields.data === '' ? value : `\n${value}`;
  }
  return fields;
}
