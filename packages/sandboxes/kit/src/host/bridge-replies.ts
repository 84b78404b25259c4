import type { BridgeCall } from '@ravi/kernel';
import { createRecordOutbox } from '../protocol/record-outbox.ts';
import { checkCallInput, checkCallOutput } from './bounded-request.ts';
import type { BoundedRequest } from './bounded-request.ts';
import { codec } from './wire.ts';

/** Replies to the calls of a run. */
export interface BridgeReplies {
  readonly inFlight: number;
  /** True while replies wait to be sent with the next frame. */
  readonly isSending: boolean;
  /** Starts a call; sends the reply when it is ready. */
  start(id: string, call: BridgeCall): void;
  /** Notifies the guest that its timer is due. */
  wake(): void;
  /** Aborts the calls in flight; later replies are dropped. */
  close(): void;
}

/** Creates the replies of one run. Replies that are ready at the same time are sent in one frame. */
export function createBridgeReplies(request: BoundedRequest, send: (text: string) => void): BridgeReplies {
  const controller = new AbortController();
  const { signal } = controller;
  const outbox = createRecordOutbox(send);
  let inFlight = 0;

  return {
    get inFlight() {
      return inFlight;
    },
    get isSending() {
      return outbox.isPending;
    },
    start(id, call) {
      inFlight++;
      settle(id, call).catch(() => {});
    },
    wake: () => outbox.add(codec.encode('w')),
    close() {
      outbox.close();
      if (inFlight > 0) controller.abort();
    },
  };

  async function settle(id: string, call: BridgeCall): Promise<void> {
    let record: string;
    try {
      checkCallInput(call.payload, request.limits);
      const text: unknown = await request.bridge(call, { signal });
      if (typeof text !== 'string') throw new TypeError('The bridge returned a value that is not text');
      checkCallOutput(text, request.limits);
      record = codec.encode('a', id, text);
    } catch (error) {
      record = failureRecord(id, error);
    }
    inFlight--;
    outbox.add(record);
  }
}

function failureRecord(id: string, error: unknown): string {
  try {
    if (error instanceof Error) {
      const { code } = error as { code?: unknown };
      return codec.encode('f', id, String(error.name), String(error.message), typeof code === 'string' ? code : '');
    }
  } catch {
    // An error that cannot be read is still a failure, and the script must receive it.
  }
  return codec.encode('f', id, 'Error', 'The call failed', '');
}
