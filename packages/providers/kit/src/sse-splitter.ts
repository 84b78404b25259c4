import { KernelError } from '@ravi/kernel';

/** Takes the text of a stream in pieces of any size. */
export interface StreamSplitter {
  /** @throws KernelError `E_MODEL_PROTOCOL` when one event is larger than the limit */
  push(text: string): void;
  /** The stream is over: an event without its blank line counts too. */
  end(): void;
}

/** Receives one server-sent event: its data lines joined by newlines, and its name when it has one. */
export type SseListener = (data: string, event: string | undefined) => void;

/**
 * Splits a stream of server-sent events over one string buffer. Comments, `id` and `retry` are dropped; lines may end in
 * LF, CRLF or CR, also mixed. Source: WHATWG HTML, 9.2.6.
 * @param maxEventChars an event that is longer ends the stream; 64 Mi when absent
 */
export function createSseSplitter(listener: SseListener, maxEventChars: number = 67_108_864): StreamSplitter {
  let buffer = '';
  /** Where the search for the next line end goes on. */
  let searched = 0;
  let data: string | undefined;
  let event: string | undefined;
  let heldCarriageReturn = false;

  /** A name alone is a field too, and its value is empty. */
  const isField = (name: string, start: number, end: number): boolean =>
    buffer.startsWith(name, start) && (buffer[start + name.length] === ':' || end === start + name.length);

  const valueAt = (start: number, end: number): string =>
    buffer.slice(buffer.charCodeAt(start) === 32 ? start + 1 : start, Math.max(start, end));

  const line = (start: number, end: number): void => {
    if (start === end) {
      if (data !== undefined) listener(data, event);
      data = event = undefined;
      return;
    }
    if (isField('data', start, end)) {
      const value = valueAt(start + 'data:'.length, end);
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (isField('event', start, end)) event = valueAt(start + 'event:'.length, end);
  };

  const drain = (): void => {
    let start = 0;
    for (let end = buffer.indexOf('\n', searched); end !== -1; end = buffer.indexOf('\n', start)) {
      line(start, end);
      start = end + 1;
    }
    if (start > 0) buffer = buffer.slice(start);
    searched = buffer.length;
    if (buffer.length + (data?.length ?? 0) > maxEventChars) {
      const message = `An event of the stream is longer than ${maxEventChars} characters`;
      throw new KernelError('E_MODEL_PROTOCOL', message, { retryable: true });
    }
  };

  const normalised = (text: string): string => {
    const whole = heldCarriageReturn ? `\r${text}` : text;
    heldCarriageReturn = whole.endsWith('\r');
    const usable = heldCarriageReturn ? whole.slice(0, -1) : whole;
    return usable.replace(/\r\n?/gu, '\n');
  };

  return {
    push(text) {
      buffer += heldCarriageReturn || text.includes('\r') ? normalised(text) : text;
      drain();
    },
    end() {
      buffer += heldCarriageReturn ? '\n\n\n' : '\n\n';
      heldCarriageReturn = false;
      drain();
    },
  };
}
