import type { RecordCodec } from '../protocol/records.ts';
import type { FrameReader } from './frame-reader.ts';
import type { SendFrame } from './frame-writer.ts';

/** The guest of a child process. One guest serves one run. */
export interface ChildGuest {
  /** Prepares for runs like the one that `frame` describes: the memory, then the prelude, after its first character. */
  rehearse(frame: string): void;
  /** Runs the script of `frame` and sends its outcome. */
  run(frame: string): void;
  /** Replaces the guest that has run by a new one. */
  renew(): void;
}

/** Channel of a child to its host. */
export interface ChildPort {
  readonly codec: RecordCodec;
  readonly input: FrameReader;
  readonly send: SendFrame;
}

/**
 * Serves the runs of a child process, one after the other, until the host is gone. After an outcome is sent, the next guest
 * is prepared.
 * Runs in the child: it must refer to nothing outside itself.
 */
export function serveRuns({ input, send }: ChildPort, guest: ChildGuest): never {
  const hostTurnMs = 1;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    send('y');
    let frame = input.read(false);
    while (isLate(frame)) frame = input.read(false);
    if (frame[0] === 'p') guest.rehearse(frame);
    else {
      guest.run(frame);
      letHostRun();
      guest.renew();
    }
  }

  // Replies and wakes that were sent before the end of the last run arrived; a start frame begins with a digit.
  function isLate(frame: string): boolean {
    return frame[0] === 'a' || frame[0] === 'f' || frame[0] === 'w';
  }

  // The system often wakes the host on the core of the process that wrote to it. There it would wait until the next guest
  // is prepared, which takes longer than a short script.
  function letHostRun(): void {
    Atomics.wait(sleeper, 0, 0, hostTurnMs);
  }
}
