import { KernelError } from '@ravi/kernel';
import type { JsonValue } from '@ravi/kernel';
import { utf8Length } from '@ravi/support';
import { encodeStructured } from '../result/encode-structured.ts';
import type { Cancellation } from '../timing/cancellation.ts';

const maxChannels = 100;
const maxWaiting = 100;
const maxMessageBytes = 65_536;

interface Receiver {
  readonly take: (message: string) => void;
}

/** Messages as JSON text, so that sender and receiver share no object. */
interface Channel {
  readonly messages: string[];
  readonly receivers: Set<Receiver>;
}

/** Named queues of one run, in memory. */
export class Channels {
  readonly #channels = new Map<string, Channel>();

  /** Adds a message. @throws KernelError `E_RESULT_NOT_JSON`, `E_BUDGET_EXHAUSTED` */
  send(name: string, message: JsonValue): void {
    const text = encoded(name, message);
    const { messages, receivers } = this.#channel(name);
    const [first] = receivers;
    if (first !== undefined) return first.take(text);
    if (messages.length >= maxWaiting) throw exhausted(`The channel ${name} has ${maxWaiting} messages already`);
    messages.push(text);
  }

  /** Takes the oldest message, or waits for the next. @throws KernelError `E_CANCELLED` */
  async receive(name: string, cancellation: Cancellation): Promise<JsonValue> {
    cancellation.check();
    const { messages, receivers } = this.#channel(name);
    const waiting = messages.shift();
    if (waiting !== undefined) return JSON.parse(waiting) as JsonValue;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const receiver: Receiver = {
      take(text) {
        receivers.delete(receiver);
        resolve(text);
      },
    };
    receivers.add(receiver);
    const unsubscribe = cancellation.onCancel(() => reject(cancellation.error));
    try {
      return JSON.parse(await promise) as JsonValue;
    } finally {
      unsubscribe();
      receivers.delete(receiver);
    }
  }

  #channel(name: string): Channel {
    const known = this.#channels.get(name);
    if (known !== undefined) return known;
    if (this.#channels.size >= maxChannels) throw exhausted(`The run has ${maxChannels} channels already`);
    const channel: Channel = { messages: [], receivers: new Set() };
    this.#channels.set(name, channel);
    return channel;
  }
}

function encoded(name: string, message: JsonValue): string {
  const problem = `A message for the channel ${name} is not JSON`;
  let text: string | undefined;
  try {
    text = encodeStructured(message);
  } catch (cause) {
    throw new KernelError('E_RESULT_NOT_JSON', problem, { cause });
  }
  if (text === undefined) throw new KernelError('E_RESULT_NOT_JSON', problem);
  if (utf8Length(text) <= maxMessageBytes) return text;
  throw exhausted(`A message for the channel ${name} has more than ${maxMessageBytes} bytes`);
}

function exhausted(message: string): KernelError {
  return new KernelError('E_BUDGET_EXHAUSTED', message);
}
