import { createFrameSplitter, encodeFrame, maxFrameBytes } from '../protocol/frames.ts';
import type { GuestEnd, GuestLink, LaunchGuest } from './link.ts';
import { createUsageReader } from './process-usage.ts';
import type { ProcessUsage, UsageReader } from './process-usage.ts';

/** Who listens to a guest process at the moment. */
export interface GuestListener {
  onFrame(text: string): void;
  /** The process is gone, or was ended because it broke the protocol. */
  onLost(end: GuestEnd): void;
}

/** A guest process: frames instead of bytes, and the state that the pool needs. */
export interface GuestProcess {
  readonly pid: number | undefined;
  /** The process is gone or was ended; its listener has been told. */
  readonly lost: boolean;
  /** Who used it first; nobody else ever does. */
  principal: string | undefined;
  /** Runs it has begun. */
  runs: number;
  /** What it had used when it was last idle, where the system tells. */
  idleUsage: ProcessUsage | undefined;
  /** What it has used by now, where the system tells. */
  readonly readUsage: () => ProcessUsage | undefined;
  /** Whether it ended while nobody used it; the news of that may still be on its way. */
  readonly isGone: () => boolean;
  /** What it was last sent to run before a script. */
  prelude: string | undefined;
  listener: GuestListener;
  send(text: string): void;
  kill(): void;
  /** Ends it because it broke the protocol, and tells the listener. */
  reject(violation: string): void;
  keepAlive(active: boolean): void;
  /** Has the system hold the process to `memoryBytes` of its next run, where it can. */
  boundMemory: GuestLink['boundMemory'];
  /** Fulfilled when the process is gone. */
  readonly closed: Promise<void>;
}

/** Starts a guest process. */
export function startGuestProcess(launch: LaunchGuest, listener: GuestListener): GuestProcess {
  const { promise: closed, resolve: markClosed } = Promise.withResolvers<void>();
  let lost = false;
  let usage: UsageReader | undefined;
  const splitter = createFrameSplitter({
    maxBytes: maxFrameBytes,
    onFrame: (text) => {
      if (!lost) guest.listener.onFrame(text);
    },
    onViolation: reject,
  });
  const link: GuestLink = launch({
    onBytes: (chunk) => splitter.push(chunk),
    onClose(end) {
      usage?.close();
      markClosed();
      lose(end);
    },
  });
  const guest: GuestProcess = {
    get pid() {
      return link.pid;
    },
    get lost() {
      return lost;
    },
    principal: undefined,
    runs: 0,
    idleUsage: undefined,
    readUsage,
    isGone: () => guest.idleUsage !== undefined && readUsage() === undefined,
    prelude: undefined,
    listener,
    send: (text) => link.send(encodeFrame(text)),
    kill: () => link.kill(),
    reject,
    keepAlive: (active) => link.keepAlive(active),
    boundMemory: link.boundMemory,
    closed,
  };
  return guest;

  function readUsage(): ProcessUsage | undefined {
    if (link.pid === undefined || lost) return undefined;
    usage ??= createUsageReader(link.pid);
    return usage.read();
  }

  function reject(violation: string): void {
    link.kill();
    lose({ reason: `was ended: it ${violation}`, outOfMemory: false });
  }

  function lose(end: GuestEnd): void {
    if (lost) return;
    lost = true;
    guest.listener.onLost(end);
  }
}
