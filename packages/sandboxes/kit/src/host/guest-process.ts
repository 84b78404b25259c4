import { createFrameSplitter, encodeFrame, maxFrameBytes } from '../protocol/frames.ts';
import type { GuestEnd, GuestLink, LaunchGuest } from './link.ts';
import { createUsageReader } from './process-usage.ts';
import type { ProcessUsage, UsageReader } from './process-usage.ts';

/** Current listener of a guest process. */
export interface GuestListener {
  onFrame(text: string): void;
  /** Called when the process is gone, or was ended because it violated the protocol. */
  onLost(end: GuestEnd): void;
}

/** A guest process that exchanges frames instead of bytes, with the state that the pool needs. */
export interface GuestProcess {
  readonly pid: number | undefined;
  /** True if the process is gone or was ended, and its listener was notified. */
  readonly lost: boolean;
  /** Its first user, which is also its only one. */
  principal: string | undefined;
  /** Number of runs that it has started. */
  runs: number;
  /** Its usage when it was last idle, if the system reports it. */
  idleUsage: ProcessUsage | undefined;
  /** Returns its usage so far, if the system reports it. */
  readonly readUsage: () => ProcessUsage | undefined;
  /** Returns true if it ended while it was idle, even if the event has not arrived yet. */
  readonly isGone: () => boolean;
  /** The prelude that it received last. */
  prelude: string | undefined;
  listener: GuestListener;
  send(text: string): void;
  kill(): void;
  /** Ends it because it violated the protocol, and notifies the listener. */
  reject(violation: string): void;
  keepAlive(active: boolean): void;
  /** Limits the memory of the process to that of its next run, if the system can. */
  boundMemory: GuestLink['boundMemory'];
  /** Resolves when the process is gone. */
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
