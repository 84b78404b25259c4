import { KernelError } from '@ravi/kernel';

/** Splitter of a stream that arrives in pieces of any size. */
export interface StreamSplitter {
  /** @throws KernelError `E_MODEL_PROTOCOL` if one event is larger than the limit */
  push(text: string): void;
  /** Ends the stream; an event without its blank line counts too. */
  end(): void;
}

/** Receives one server-sent event: its data lines joined by newlines, and its name if it has one. */
export type SseListener = (data: string, event: string | undefined) => void;

/**
 * Creates a splitter of server-sent events. Comments, `id` and `retry` are dropped; lines may end in LF, CRLF or CR,
 * also mixed. Source: WHATWG HTML, 9.2.6.
 * @param maxEventChars a longer event ends the stream; 64 Mi by default
 */
export function createSseSplitter(listener: SseListener, maxEventChars: number = 67_108_864): StreamSplitter {
  /** Pieces of the unfinished line; joined once, so that the time for a long line is linear in its length. */
  let pieces: string[] = [];
  let heldChars = 0;
  let data: string | undefined;
  let event: string | undefined;
  let endedInCarriageReturn = false;

  const line = (text: string, start: number, end: number): void => {
    if (start === end) {
      if (data !== undefined) listener(data, event);
      data = event = undefined;
      return;
    }
    if (isField(text, 'data', start, end)) {
      const value = valueAt(text, start + 'data:'.length, end);
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (isField(text, 'event', start, end)) event = valueAt(text, start + 'event:'.length, end);
  };

  const hold = (text: string): void => {
    pieces.push(text);
    heldChars += text.length;
    if (heldChars + (data?.length ?? 0) <= maxEventChars) return;
    const message = `An event of the stream is longer than ${maxEventChars} characters`;
    throw new KernelError('E_MODEL_PROTOCOL', message, { retryable: true });
  };

  const take = (piece: string): void => {
    const firstEnd = piece.indexOf('\n');
    if (firstEnd === -1) return hold(piece);
    const text = heldChars === 0 ? piece : `${pieces.join('')}${piece}`;
    let start = 0;
    for (let end = heldChars + firstEnd; end !== -1; end = text.indexOf('\n', start)) {
      line(text, start, end);
      start = end + 1;
    }
    pieces = [];
    heldChars = 0;
    return hold(text.slice(start));
  };

  /** Normalises line ends. A line feed belongs to the carriage return before it, also one in the previous piece. */
  const normalised = (text: string): string => {
    const rest = endedInCarriageReturn && text.startsWith('\n') ? text.slice(1) : text;
    endedInCarriageReturn = text.endsWith('\r');
    return rest.replace(/\r\n?/gu, '\n');
  };

  return {
    push(text) {
      if (text === '') return;
      take(endedInCarriageReturn || text.includes('\r') ? normalised(text) : text);
    },
    end() {
      take('\n\n');
    },
  };
}

/** Returns true if the line is this field; a name alone is a field with an empty value. */
function isField(text: string, name: string, start: number, end: number): boolean {
  return text.startsWith(name, start) && (text[start + name.length] === ':' || end === start + name.length);
}

function valueAt(text: string, start: number, end: number): string {
  return text.slice(text.charCodeAt(start) === 32 ? start + 1 : start, Math.max(start, end));
}
