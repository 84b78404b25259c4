import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { parse } from 'node:path';
import { bootstrapSource } from '../child/source.ts';
import { encodeFrame } from '../protocol/frames.ts';

/** A guest process as the pool sees it: bytes in, bytes out, an end. */
export interface GuestLink {
  /** Absent when the process is not on this machine or did not start, and until it did. */
  readonly pid: number | undefined;
  send(frame: Buffer): void;
  /** Ends the process at once; idempotent. */
  kill(): void;
  /** Whether the process keeps the host's event loop alive. */
  keepAlive(active: boolean): void;
  /** Has the system hold the process to `memoryBytes` of its next run; absent where it cannot. Never rejects. */
  boundMemory?(memoryBytes: number): Promise<void>;
}

/** How a guest process ended by itself. */
export interface GuestEnd {
  /** What happened, as the end of a sentence about the process. */
  readonly reason: string;
  /** It asked for more memory than it could have. */
  readonly outOfMemory: boolean;
  /** The error that it wrote before, for logs: it may name paths of the host. */
  readonly error?: string;
}

/** What a link reports. */
export interface GuestLinkEvents {
  onBytes(chunk: Buffer): void;
  /** Exactly once, after the last bytes. */
  onClose(end: GuestEnd): void;
}

/** Starts one guest process. */
export type LaunchGuest = (events: GuestLinkEvents) => GuestLink;

/** A signal to the whole process group, as terminals and service managers send it, is for the host: it ends its guests. */
const leaveSignalsToHost = "for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {});";

/** What V8 and Node write before they abort for lack of memory. */
const outOfMemoryReport = /out of memory|is_heap_oom = 1/;

/** The first line of the error that ends a process, in brackets when it has no stack. */
const uncaughtError = /^\w*Error\b.*?(?=\]?$)/m;
const maxReportLength = 4_096;

/**
 * Starts Node children that run `source`, with nothing of the host in reach: no environment, no inherited descriptor
 * but one socket, no file system, no processes, no threads (Node's permission model).
 */
export function nodeLauncher(options: { readonly source: string; readonly nodeFlags: readonly string[] }): LaunchGuest {
  const program = encodeFrame(options.source);
  const flags = ['--permission', '--no-warnings', ...options.nodeFlags];
  const bootstrap = `${leaveSignalsToHost} ${bootstrapSource({ input: '3', output: '3' })}`;
  return (events) => {
    let child: ChildProcess;
    try {
      child = spawn(process.execPath, [...flags, '-e', bootstrap], {
        cwd: parse(process.execPath).root,
        env: {},
        stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
        windowsHide: true,
      });
    } catch (error) {
      queueMicrotask(() => events.onClose(notStarted(error as Error)));
      return noLink;
    }
    if (child.pid === undefined) {
      // Out of descriptors or processes: Node tells by an event, and gives a child without streams.
      child.once('error', (error) => events.onClose(notStarted(error)));
      return noLink;
    }
    const socket = child.stdio[3] as Socket;
    let reason = 'ended';
    let outOfMemory = false;
    let report = '';
    // A signal that could not be sent: there is nobody left to send it to.
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
    // The end of the process says it all; a broken pipe on the way there is no news.
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

/** What stands for a process that did not start. */
const noLink: GuestLink = { pid: undefined, send() {}, kill() {}, keepAlive() {} };

/** The code alone: the message of Node carries paths of the host. */
function notStarted(error: NodeJS.ErrnoException): GuestEnd {
  return { reason: `could not be started (${error.code ?? error.name})`, outOfMemory: false };
}
