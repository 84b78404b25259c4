import type { Http2Session, Settings } from 'node:http2';
import type { Clock, Timer } from '@ravi/kernel';

/** Bytes of one stream that may be on the way before its reader must read: a reply of usual size needs no round trip. */
const streamWindowBytes = 1_048_576;
/** Bytes of all streams of a connection that may be on the way. Each stream has its own window, so none holds up the others. */
const connectionWindowBytes = 16 * 1_048_576;

/** HTTP/2 settings of both sides. */
export const sharedSettings: Settings = Object.freeze({
  enablePush: false,
  initialWindowSize: streamWindowBytes,
  maxFrameSize: 65_536,
});

/** Memory in megabytes that Node allows a session: what may wait to be sent, and room for streams. */
export function sessionMemoryMegabytes(maxBufferedBytes: number): number {
  return Math.ceil(maxBufferedBytes / 1_048_576) + 64;
}

/**
 * Widens the window of a connection, and pings the other side each `pingIntervalMs`: if it has not replied when the next ping is due,
 * the connection is destroyed. So the runs of a machine that is gone end, although it closes nothing.
 */
export function keepAlive(
  session: Http2Session,
  { clock, pingIntervalMs }: { readonly clock: Clock; readonly pingIntervalMs: number },
): void {
  let timer: Timer;
  let isWaiting = false;
  session.setLocalWindowSize(connectionWindowBytes);
  schedule();
  session.once('close', () => timer.cancel());

  function schedule(): void {
    timer = clock.setTimer(check, pingIntervalMs, { isBackground: true });
  }

  function check(): void {
    if (isWaiting || session.destroyed) {
      session.destroy(Object.assign(new Error('replied to no ping'), { code: 'ETIMEDOUT' }));
      return;
    }
    isWaiting = session.ping((error) => {
      if (error === null) isWaiting = false;
    });
    schedule();
  }
}
