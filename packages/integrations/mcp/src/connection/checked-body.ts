import { TextDecoder } from 'node:util';
import { jsonTextExcess } from '@ravi/source-kit';
import { tooLongMessage, tooManyMessages } from './wire-limits.ts';
import type { Violation, WireLimits } from './wire-limits.ts';

const blankLine = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))/g;
const longestBlankLine = 4;

/**
 * Returns the response with a body that is checked before it is parsed: a JSON text as a whole, an event stream event by event. A body
 * that exceeds a limit ends with an error, after the violation was reported. Other bodies are cut at the limit of a message.
 */
export function withCheckedBody(response: Response, wire: WireLimits, onViolation: Violation): Response {
  if (response.body === null) return response;
  const body = response.body.pipeThrough(
    isEventStream(response) ? checkEvents(wire, onViolation) : checkWhole(wire, onViolation),
  );
  const checked = new Response(body, response);
  Object.defineProperty(checked, 'url', { value: response.url });
  return checked;
}

/** Returns true for a response whose body is a stream of events. */
export function isEventStream(response: Response): boolean {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';', 1);
  return type.trim().toLowerCase() === 'text/event-stream';
}

// Passes on a body when it is complete. The text of a body that is not JSON is short and only shown.
function checkWhole(wire: WireLimits, onViolation: Violation): TransformStream<Uint8Array, Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  return new TransformStream({
    transform(chunk) {
      bytes += chunk.byteLength;
      if (bytes > wire.maxBytes) throw refused(tooLongMessage(wire), onViolation);
      parts.push(chunk);
    },
    flush(controller) {
      if (!wire.rate.count()) throw refused(tooManyMessages(wire), onViolation);
      const whole = Buffer.concat(parts, bytes);
      const text = decoded(whole, wire.decoder, onViolation);
      checkText(text, wire, onViolation);
      const shown = wire.secrets.hide(text);
      if (bytes > 0) controller.enqueue(shown === text ? whole : Buffer.from(shown));
    },
  });
}

function checkEvents(wire: WireLimits, onViolation: Violation): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const encoder = new TextEncoder();
  // Parts of the event that is not complete. They are joined once: joining them with each chunk would take quadratic time.
  let parts: string[] = [];
  let length = 0;
  let checked: string[] = [];
  let tail = '';
  return new TransformStream({
    transform(chunk, controller) {
      const text = decoded(chunk, decoder, onViolation, true);
      const probe = tail + text;
      let from = 0;
      blankLine.lastIndex = 0;
      for (let match = blankLine.exec(probe); match !== null; match = blankLine.exec(probe)) {
        // A blank line may begin in the chunk before.
        const end = blankLine.lastIndex - tail.length;
        take(text.slice(from, end));
        complete();
        from = end;
      }
      pass(controller);
      take(text.slice(from));
      tail = (from === 0 ? probe : text.slice(from)).slice(-longestBlankLine + 1);
    },
    flush(controller) {
      complete();
      pass(controller);
    },
  });

  function take(part: string): void {
    length += part.length;
    if (length > wire.maxBytes) throw refused(tooLongMessage(wire), onViolation);
    parts.push(part);
  }

  function complete(): void {
    const event = parts.join('');
    parts = [];
    length = 0;
    checkEvent(event);
    checked.push(wire.secrets.hide(event));
  }

  function pass(controller: TransformStreamDefaultController<Uint8Array>): void {
    const text = checked.join('');
    checked = [];
    if (text !== '') controller.enqueue(encoder.encode(text));
  }

  function checkEvent(event: string): void {
    if (event.trim() === '') return;
    if (!wire.rate.count()) throw refused(tooManyMessages(wire), onViolation);
    const data = event
      .split(/\r\n|\n|\r/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice('data:'.length))
      .join('\n');
    checkText(data, wire, onViolation);
  }
}

function checkText(text: string, wire: WireLimits, onViolation: Violation): void {
  const excess = jsonTextExcess(text, wire);
  if (excess !== undefined) throw refused(`sent a message that ${excess}`, onViolation);
}

function decoded(bytes: Uint8Array, decoder: TextDecoder, onViolation: Violation, stream = false): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    throw refused('sent a message that is not UTF-8', onViolation);
  }
}

function refused(did: string, onViolation: Violation): Error {
  onViolation(did);
  return new Error(`The server ${did}`);
}
