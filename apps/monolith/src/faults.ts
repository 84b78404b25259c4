import type { Logger } from '@ravi/kernel';
import { limitShutdown } from './shutdown.ts';
import { currentRequest } from './logging/current-request.ts';

/** Uncaught exceptions and unhandled rejections of this process since {@link watchFaults}. */
export interface Faults {
  /** Resolves at the first uncaught exception. From then on the process ends in bounded time. */
  readonly fatal: Promise<void>;
  /** 1 after such an exception, else 0. */
  readonly exitCode: 0 | 1;
  /** Replaces the log. */
  logTo(logger: Logger): void;
}

const failed = 1;

/**
 * Logs unhandled rejections and uncaught exceptions, one line each. The process survives a rejection. It ends after an
 * exception, because state may be half changed; a second exception ends it at once. Only for the main program of a process:
 * a library must not handle these events.
 */
export function watchFaults(firstLogger: Logger): Faults {
  const { promise: fatal, resolve: onFatal } = Promise.withResolvers<void>();
  let logger = firstLogger;
  let isFatal = false;
  process.on('unhandledRejection', (error) => {
    logger.error('unhandled promise rejection: an await or a catch is missing', about(error));
  });
  process.on('uncaughtException', (error) => {
    logger.error('uncaught exception, shutting down', about(error));
    if (isFatal) process.exit(failed);
    isFatal = true;
    limitShutdown();
    onFatal();
  });
  return {
    fatal,
    get exitCode() {
      return isFatal ? failed : 0;
    },
    logTo(next) {
      logger = next;
    },
  };
}

// The request is the one in which the promise or timer was created; the stack names the file of a tool.
function about(error: unknown): Readonly<Record<string, unknown>> {
  return { ...currentRequest.getStore(), error };
}
