import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { parse } from 'node:path';
import { bootstrapSource } from '../child/source.ts';
import { encodeFrame } from '../protocol/frames.ts';

/** Connection to a guest process: bytes in, bytes out, an end. */
export interface GuestLink {
  /** Absent if the process is not on this machine, and until it has started. */
  readonly pid: number | undefined;
  send(frame: Buffer): void;
  /** Ends the process at once; idempotent. */
  kill(): void;
  /** Sets whether the process keeps the event loop of the host alive. */
  keepAlive(active: boolean): void;
  /** Limits the memory of the process to that of its next run; absent if the system cannot. Never rejects. */
  boundMemory?(memoryBytes: number): Promise<void>;
}

/** End of a guest process that the host did not request. */
export interface GuestEnd {
  /** Reason, as the rest of a sentence about the process. */
  readonly reason: string;
  /** True if it requested more memory than it may have. */
  readonly outOfMemory: boolean;
  /** The error that it wrote before its end, for logs: it may contain paths of the host. */
  readonly error?: string;
}

/** Events of a link. */
export interface GuestLinkEvents {
  onBytes(chunk: Buffer): void;
  /** Called exactly once, after the last bytes. */
  onClose(end: GuestEnd): void;
}

/** Starts one guest process. */
export type LaunchGuest = (events: GuestLinkEvents) => GuestLink;

/** Terminals and service managers signal the whole process group. Guests ignore that, because the host ends them. */
const leaveSignalsToHost = "for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {});";

/** Messages of V8 and Node before they abort for lack of memory. */
const outOfMemoryReport = /out of memory|is_heap_oom = 1/;

/** The first line of the error that ends a process, in brackets when it has no stack. */
const uncaughtError = /^\w*Error\b.*?(?=\]?$)/m;
const maxReportLength = 4_096;

/**
 * Returns a launcher of Node processes that run `source` without access to the host: no environment, no inherited
 * descriptor except one socket and `descriptors`, no file system, no processes, no threads (Node's permission model).
 */
export function nodeLauncher(options: {
  readonly source: string;
  readonly nodeFlags: readonly string[];
  /** Open descriptors of the host that the process gets, from the number 4 on. None when absent. */
  readonly descriptors?: readonly number[];
}): LaunchGuest {
  const program = encodeFrame(options.source);
  const flags = ['--permission', '--no-warnings', ...options.nodeFlags];
  const bootstrap = `${leaveSignalsToHost} ${bootstrapSource({ input: '3', output: '3' })}`;
  return (events) => {
    let child: ChildProcess;
    try {
      child = spawn(process.execPath, [...flags, '-e', bootstrap], {
        cwd: parse(process.execPath).root,
        env: {},
        stdio: ['ignore', 'ignore', 'pipe', 'pipe', ...(options.descriptors ?? [])],
        windowsHide: true,
      });
    } catch (error) {
      queueMicrotask(() => events.onClose(notStarted(error as Error)));
      return noLink;
    }
    if (child.pid === undefined) {
      // Out of descriptors or processes: Node reports that by an event and returns a child without streams.
      child.once('error', (error) => events.onClose(notStarted(error)));
      return noLink;
    }
    const socket = child.stdio[3] as Socket;
    let reason = 'ended';
    let outOfMemory = false;
    let report = '';
    // The signal could not be sent because the process is gone.
    child.on('error', () => {});
    child.once('exit', (code, signal) => {
      reason = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
    });
    child.once('close', () => {
      const [error] = uncaughtError.exec(report) ?? [];
      events.onClose({ reason, outOfMemory, ...(error === undefined ? {} : { error }) });
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      outOfMemory ||= outOfMemoryReport.test(text);
      report = (report + text).slice(-maxReportLength);
    });
    socket.on('data', (chunk: Buffer) => events.onBytes(chunk));
    // A broken pipe is part of the end of the process, which is reported on its own.
    socket.on('error', () => {});
    const handles = [child, socket, child.stderr as Socket];
    for (const handle of handles) handle.unref();
    socket.write(program);

    return {
      pid: child.pid,
      send: (frame) => void socket.write(frame),
      kill: () => void child.kill('SIGKILL'),
      keepAlive(active) {
        for (const handle of handles) {
          if ('destroyed' in handle && handle.destroyed) continue;
          if (active) handle.ref();
          else handle.unref();
        }
      },
    };
  };
}

// Placeholder for a process that did not start.
const noLink: GuestLink = { pid: undefined, send() {}, kill() {}, keepAlive() {} };

// Only the code, because the message of Node contains paths of the host.
function notStarted(error: NodeJS.ErrnoException): GuestEnd {
  return { reason: `could not be started (${error.code ?? error.name})`, outOfMemory: false };
}
