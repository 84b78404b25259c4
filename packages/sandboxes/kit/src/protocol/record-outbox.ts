/** Records that wait to be sent. */
export interface RecordOutbox {
  /** True while records wait. */
  readonly isPending: boolean;
  add(record: string): void;
  /** Drops what waits, and everything that is added later. */
  close(): void;
}

/** Length at which records are sent without waiting for more. A frame of this length and one record of any size fits the frame limit. */
const maxBatchLength = 4 * 1_024 * 1_024;

/** Creates an outbox that sends the records of one moment together: `send` receives the text of one frame. */
export function createRecordOutbox(send: (text: string) => void): RecordOutbox {
  let waiting = '';
  let closed = false;

  function flush(): void {
    const text = waiting;
    waiting = '';
    if (!closed && text !== '') send(text);
  }

  return {
    get isPending() {
      return waiting !== '';
    },
    add(record) {
      if (closed) return;
      if (waiting.length + record.length > maxBatchLength) flush();
      // `nextTick` runs after every promise job that is due, so one frame carries all records of this moment.
      if (waiting === '') process.nextTick(flush);
      waiting += record;
    },
    close() {
      closed = true;
      waiting = '';
    },
  };
}
