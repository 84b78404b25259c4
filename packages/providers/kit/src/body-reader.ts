import { KernelError } from '@ravi/kernel';
import type { Deadlines } from './deadlines.ts';
import { clip } from './http-error.ts';
import { createSseSplitter } from './sse-splitter.ts';

/** State machine that decodes one response. It never throws because of what a provider sends. */
export interface ModelDecoder {
  /** Decodes one event of the stream. */
  event(data: string, name: string | undefined): void;
  /** Decodes a response that is one body instead of events. */
  body(value: unknown): void;
  /** Ends the response. A response without its end becomes an `E_MODEL_TRUNCATED` error. */
  end(): void;
}

/** Reader of a response body in pieces of any size. */
export interface BodyReader {
  /** @throws KernelError `E_MODEL_PROTOCOL` for a body that is neither events nor JSON */
  push(text: string): void;
  /** @throws KernelError as `push` */
  end(): void;
}

/**
 * Creates a reader that passes a response to its decoder, as events or as one body. Detected from the first bytes,
 * because gateways send wrong content types: JSON is a body and an event field is a stream under any type. The content
 * type decides only for the rest.
 * @param progress is notified of each part of the response; comments, pings and white space are keep-alives
 */
export function createBodyReader(
  decoder: ModelDecoder,
  contentType: string,
  progress: Pick<Deadlines, 'progress' | 'begin'>,
): BodyReader {
  let beginning = '';
  let reader: BodyReader | undefined;

  const choose = (isOver: boolean): void => {
    const form = formOf(beginning, contentType, isOver);
    if (form === undefined) return;
    reader =
      form === 'events'
        ? eventReader(decoder, progress)
        : form === 'body'
          ? wholeBodyReader(decoder, progress)
          : refusingReader(contentType);
    reader.push(beginning);
  };

  return {
    push(text) {
      if (reader !== undefined) return reader.push(text);
      beginning = (beginning + text).trimStart();
      return choose(false);
    },
    end() {
      if (reader === undefined) choose(true);
      reader?.end();
    },
  };
}

const field = /^(?:data|event|id|retry)?[:\r\n]/u;
const longestField = 'event:'.length;

/** Returns the form of a response, `undefined` while more text is needed to decide. */
function formOf(beginning: string, contentType: string, isOver: boolean): 'events' | 'body' | 'neither' | undefined {
  const isJson = /json/iu.test(contentType);
  if (beginning === '') return isOver ? (isJson ? 'body' : 'events') : undefined;
  if (/^[[{]/u.test(beginning)) return 'body';
  if (beginning.startsWith('<')) return 'neither';
  if (/event-stream/iu.test(contentType) || field.test(beginning)) return 'events';
  if (beginning.length < longestField && !isOver) return undefined;
  return isJson ? 'body' : 'neither';
}

/** Events that only keep the connection open. */
const ping = /^\s*(?:\{\s*"type"\s*:\s*"(?:ping|keepalive)"|null|$)/u;

function eventReader(decoder: ModelDecoder, { progress }: Pick<Deadlines, 'progress'>): BodyReader {
  const splitter = createSseSplitter((data, name) => {
    if (name !== 'ping' && !ping.test(data)) progress();
    decoder.event(data, name);
  });
  return {
    push: (text) => splitter.push(text),
    end() {
      splitter.end();
      decoder.end();
    },
  };
}

function wholeBodyReader(
  decoder: ModelDecoder,
  { progress, begin }: Pick<Deadlines, 'progress' | 'begin'>,
): BodyReader {
  let text = '';
  return {
    push(piece) {
      if (piece.trim() !== '') {
        begin();
        progress();
      }
      text += piece;
    },
    end() {
      decoder.body(parsed(text));
      decoder.end();
    },
  };
}

const readChars = 1000;

/** Reports a body that is usually a gateway's HTML page; its beginning shows whose. */
function refusingReader(contentType: string): BodyReader {
  let text = '';
  const refuse = (): never => {
    const start = JSON.stringify(clip(text.slice(0, readChars).replaceAll(/\s+/gu, ' '), 200));
    const type = contentType === '' ? 'no content type' : `content type ${contentType}`;
    const message = `The model provider sent neither events nor JSON (${type}); check baseUrl. It begins with ${start}`;
    throw new KernelError('E_MODEL_PROTOCOL', message);
  };
  return {
    push(piece) {
      text += piece;
      if (text.length > readChars) refuse();
    },
    end: refuse,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
