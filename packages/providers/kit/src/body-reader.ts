import { KernelError } from '@ravi/kernel';
import { clip } from './http-error.ts';
import { createSseSplitter } from './sse-splitter.ts';

/** A state machine over one answer. It never throws for what a provider sends. */
export interface ModelDecoder {
  /** One event of the stream. */
  event(data: string, name: string | undefined): void;
  /** The answer as one body, instead of events. */
  body(value: unknown): void;
  /** Nothing more comes. An answer without its end becomes an `E_MODEL_TRUNCATED` error. */
  end(): void;
}

/** Takes the text of an answer in pieces of any size. */
export interface BodyReader {
  /** @throws KernelError `E_MODEL_PROTOCOL` for a text that is neither events nor JSON */
  push(text: string): void;
  /** @throws KernelError as `push` */
  end(): void;
}

/**
 * Hands an answer to its decoder, as events or as one body. What it begins with says which, since gateways give types that
 * are wrong: JSON is a body and the field of an event a stream under any type. Only for the rest the type counts.
 */
export function createBodyReader(decoder: ModelDecoder, contentType: string): BodyReader {
  let begun = '';
  let reader: BodyReader | undefined;

  const choose = (isOver: boolean): void => {
    const form = formOf(begun, contentType, isOver);
    if (form === undefined) return;
    reader =
      form === 'events'
        ? eventReader(decoder)
        : form === 'body'
          ? wholeBodyReader(decoder)
          : refusingReader(contentType);
    reader.push(begun);
  };

  return {
    push(text) {
      if (reader !== undefined) return reader.push(text);
      begun = (begun + text).trimStart();
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

/** `undefined` as long as more has to come to tell. */
function formOf(begun: string, contentType: string, isOver: boolean): 'events' | 'body' | 'neither' | undefined {
  const isJson = /json/iu.test(contentType);
  if (begun === '') return isOver ? (isJson ? 'body' : 'events') : undefined;
  if (/^[[{]/u.test(begun)) return 'body';
  if (begun.startsWith('<')) return 'neither';
  if (/event-stream/iu.test(contentType) || field.test(begun)) return 'events';
  if (begun.length < longestField && !isOver) return undefined;
  return isJson ? 'body' : 'neither';
}

function eventReader(decoder: ModelDecoder): BodyReader {
  const splitter = createSseSplitter((data, name) => decoder.event(data, name));
  return {
    push: (text) => splitter.push(text),
    end() {
      splitter.end();
      decoder.end();
    },
  };
}

function wholeBodyReader(decoder: ModelDecoder): BodyReader {
  let text = '';
  return {
    push(piece) {
      text += piece;
    },
    end() {
      decoder.body(parsed(text));
      decoder.end();
    },
  };
}

const readChars = 1000;

/** The page of a gateway, as a rule: its beginning says whose. */
function refusingReader(contentType: string): BodyReader {
  let text = '';
  const refuse = (): never => {
    const start = JSON.stringify(clip(text.slice(0, readChars).replaceAll(/\s+/gu, ' '), 200));
    const type = contentType === '' ? 'no type' : `type ${contentType}`;
    const message = `The model provider answered with ${type} what is neither events nor JSON; is baseUrl right? ${start}`;
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
