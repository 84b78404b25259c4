import { constants } from 'node:http2';
import type { Http2Stream } from 'node:http2';
import { createFrameSplitter, encodeFrame, maxFrameBytes, readRecordFields, recordCodec } from '@ravi/sandbox-kit';
import type { SendBudget } from './send-budget.ts';

/** Records over one HTTP/2 stream, in both directions. */
export interface RecordStream {
  /** Sends records; dropped after the end. */
  send(records: string): void;
  /** Ends the own direction after what was sent. */
  end(): void;
  /** Ends the stream at once: what waits is dropped, and the other side learns of it. */
  cancel(): void;
}

/** Options of {@link openRecordStream}. */
export interface RecordStreamOptions {
  readonly stream: Http2Stream;
  /** Number of fields of each kind of record that the other side may send. */
  readonly kinds: ReadonlyMap<string, number>;
  readonly budget: SendBudget;
  /** Handles one record; returns the violation, as the rest of a sentence about the other side, if there is one. */
  onRecord(kind: string, fields: readonly string[]): string | undefined;
  /** Called once, when the stream ends: with a reason if this side ended it because of what the other one did. */
  onClose(reason: string | undefined): void;
}

/**
 * Opens the records of a stream. Each frame is bounded before any of it is kept. The other side is slowed down by the window of the
 * stream while this process does not read.
 */
export function openRecordStream(options: RecordStreamOptions): RecordStream {
  const { stream, kinds, budget, onRecord } = options;
  let bufferedBytes = 0;
  let isClosed = false;
  let reason: string | undefined;
  const budgeted = {
    get bufferedBytes() {
      return bufferedBytes;
    },
    overflow: (why: string): void => breakOff(why, constants.NGHTTP2_ENHANCE_YOUR_CALM),
  };
  const violate = (violation: string): void => breakOff(violation, constants.NGHTTP2_PROTOCOL_ERROR);
  const splitter = createFrameSplitter({ maxBytes: maxFrameBytes, onFrame: readFrame, onViolation: violate });
  budget.join(budgeted);
  stream.on('data', (chunk: Buffer) => {
    if (!isClosed) splitter.push(chunk);
  });
  // A stream that breaks is closed too, and why is known there.
  stream.on('error', () => {});
  stream.once('close', close);

  return {
    send(records) {
      const frame = encodeFrame(records);
      if (isOpen()) count(frame.length);
      // Not if the count ended the stream.
      if (!isOpen()) return;
      stream.write(frame, () => {
        if (!isClosed) count(-frame.length);
      });
    },
    end() {
      if (isOpen()) stream.end();
    },
    cancel: () => stream.close(constants.NGHTTP2_CANCEL),
  };

  function isOpen(): boolean {
    return !isClosed && !stream.destroyed && !stream.writableEnded;
  }

  function readFrame(frame: string): void {
    const reader = recordCodec.read(frame, 0);
    for (let kind = reader.kind(); kind !== '' && !isClosed; kind = reader.kind()) {
      const fieldCount = kinds.get(kind);
      const fields = fieldCount === undefined ? undefined : readRecordFields(reader, fieldCount);
      const violation = fields === undefined ? 'sent a record that cannot be read' : onRecord(kind, fields);
      if (violation !== undefined) return violate(violation);
    }
  }

  function count(bytes: number): void {
    bufferedBytes += bytes;
    budget.count(bytes);
  }

  function breakOff(why: string, code: number): void {
    reason ??= why;
    stream.close(code);
    close();
  }

  // At once, not when the stream reports it: the bytes of a stream that was broken off no longer count.
  function close(): void {
    if (isClosed) return;
    isClosed = true;
    budget.leave(budgeted);
    budget.count(-bufferedBytes);
    bufferedBytes = 0;
    options.onClose(reason);
  }
}
