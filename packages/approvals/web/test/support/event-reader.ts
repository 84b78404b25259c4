import type { WebApprovalHandler } from '../../src/index.ts';
import { requestTo, tokens } from './handler.ts';

/** An event as a browser reads it. */
export interface ReadEvent {
  readonly id: number;
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- each test asserts what it reads of it
  readonly data: any;
}

/** A reader of the event stream. */
export interface TestReader {
  /** The next event; `undefined` at the end of the stream. */
  next(): Promise<ReadEvent | undefined>;
  /** Everything that was read, signs of life included. */
  readonly text: string;
  close(): Promise<void>;
}

/** Opens the stream of `token`, after an event when one is named. */
export async function readEvents(
  handler: WebApprovalHandler,
  { token = tokens.ada, query = '', lastEventId }: { token?: string; query?: string; lastEventId?: string } = {},
): Promise<TestReader> {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const response = await handler.fetch(requestTo('GET', `/v1/approvals/events${query}`, { token, headers }));
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
  const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let read = 0;

  async function next(): Promise<ReadEvent | undefined> {
    for (;;) {
      const end = text.indexOf('\n\n', read);
      if (end === -1) {
        const { done, value } = await chunks.read();
        if (done) return undefined;
        text += value;
        continue;
      }
      const block = text.slice(read, end);
      read = end + 2;
      const event = parse(block);
      if (event !== undefined) return event;
    }
  }

  return {
    next,
    get text() {
      return text;
    },
    close: () => chunks.cancel(),
  };
}

function parse(block: string): ReadEvent | undefined {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
    }),
  );
  const { id = '0', event: type, data } = fields;
  return type === undefined || data === undefined ? undefined : { id: Number(id), type, data: JSON.parse(data) };
}
