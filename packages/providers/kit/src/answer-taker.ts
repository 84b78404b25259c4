import { KernelError } from '@ravi/kernel';
import { clipped } from './clipped.ts';
import type { ModelDecoder } from './read-answer.ts';
import { createSseSplitter } from './sse-splitter.ts';

/** Takes the text of an answer in pieces of any size. */
export interface AnswerTaker {
  /** @throws KernelError `E_MODEL_PROTOCOL` for a text that is neither events nor JSON */
  push(text: string): void;
  /** @throws KernelError as `push` */
  end(): void;
}

/**
 * Hands an answer to its decoder, as events or as one body. What it begins with says which, since gateways give types that
 * are wrong: JSON is a body and the field of an event a stream under any type. Only for the rest the type counts.
 */
export function createAnswerTaker(decoder: ModelDecoder, contentType: string): AnswerTaker {
  let begun = '';
  let taker: AnswerTaker | undefined;

  const choose = (isOver: boolean): void => {
    const form = formOf(begun, contentType, isOver);
    if (form === undefined) return;
    taker = form === 'events' ? takesEvents(decoder) : form === 'body' ? takesBody(decoder) : takesNothing(contentType);
    taker.push(begun);
  };

  return {
    push(text) {
      if (taker !== undefined) return taker.push(text);
      begun = (begun + text).trimStart();
      return choose(false);
    },
    end() {
      if (taker === undefined) choose(true);
      taker?.end();
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

function takesEvents(decoder: ModelDecoder): AnswerTaker {
  const splitter = createSseSplitter((data, name) => decoder.event(data, name));
  return {
    push: (text) => splitter.push(text),
    end() {
      splitter.end();
      decoder.end();
    },
  };
}

function takesBody(decoder: ModelDecoder): AnswerTaker {
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
function takesNothing(contentType: string): AnswerTaker {
  let text = '';
  const refuse = (): never => {
    const start = JSON.stringify(clipped(text.slice(0, readChars).replaceAll(/\s+/gu, ' '), 200));
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
