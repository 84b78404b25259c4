import type { BridgeCall } from '@ravi/kernel';
import { checkCallInput, checkCallOutput } from './call-sizes.ts';
import type { CarriedRequest } from './carried-request.ts';
import { codec } from './wire.ts';

/** The calls of a run on the host side. */
export interface Answers {
  readonly inFlight: number;
  /** Starts a call; its answer is sent when it comes. */
  ask(id: string, call: BridgeCall): void;
  /** Tells the guest that its timer is due. */
  wake(): void;
  /** Aborts what is in flight; later answers are dropped. */
  close(): void;
}

/** Answers that are ready at the same time leave in one frame. */
export function createAnswers(request: CarriedRequest, send: (text: string) => void): Answers {
  const controller = new AbortController();
  const { signal } = controller;
  let inFlight = 0;
  let outbox = '';
  let closed = false;

  return {
    get inFlight() {
      return inFlight;
    },
    ask(id, call) {
      inFlight++;
      settle(id, call).catch(() => {});
    },
    wake: () => post(codec.encode('w')),
    close() {
      closed = true;
      if (inFlight > 0) controller.abort();
    },
  };

  async function settle(id: string, call: BridgeCall): Promise<void> {
    let record: string;
    try {
      checkCallInput(call.payload, request.limits);
      const text: unknown = await request.bridge(call, { signal });
      if (typeof text !== 'string') throw new TypeError('The bridge answered with something that is not text');
      checkCallOutput(text, request.limits);
      record = codec.encode('a', id, text);
    } catch (error) {
      record = failureRecord(id, error);
    }
    inFlight--;
    post(record);
  }

  function post(record: string): void {
    if (closed) return;
    // `nextTick` comes after every promise job that is due, so one frame takes all answers of this moment.
    if (outbox === '') process.nextTick(flush);
    outbox += record;
  }

  function flush(): void {
    const text = outbox;
    outbox = '';
    if (!closed) send(text);
  }
}

function failureRecord(id: string, error: unknown): string {
  try {
    if (error instanceof Error) {
      const { code } = error as { code?: unknown };
      return codec.encode('f', id, String(error.name), String(error.message), typeof code === 'string' ? code : '');
    }
  } catch {
    // An error that cannot be read is still a failure, and the script must hear of it.
  }
  return codec.encode('f', id, 'Error', 'The call failed', '');
}
