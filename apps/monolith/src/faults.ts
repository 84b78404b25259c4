import type { Logger } from '@ravi/kernel';
import { limitShutdown } from './shutdown.ts';
import { currentRequest } from './logging/current-request.ts';

/** What nobody catches in this process, from {@link watchFaults} on. */
export interface Faults {
  /** Resolves at the first exception that nobody caught. From then on the process ends in bounded time. */
  readonly fatal: Promise<void>;
  /** 1 after such an exception, else 0. */
  readonly exitCode: 0 | 1;
  /** Tells of them in this log from now on. */
  logTo(logger: Logger): void;
}

const failed = 1;

/**
 * Takes charge of what nobody catches, each told in one line of the log: a rejected promise that nobody awaited harms
 * nobody else and the process lives; after an exception nobody knows what was left half done, so it has to end, and a
 * second one ends it at once. For the main program of a process alone: a library has no say in this.
 */
export function watchFaults(firstLogger: Logger): Faults {
  const { promise: fatal, resolve: onFatal } = Promise.withResolvers<void>();
  let logger = firstLogger;
  let isFatal = false;
  process.on('unhandledRejection', (error) => {
    logger.error('a promise was rejected that nobody awaited: an await or a catch is missing', about(error));
  });
  process.on('uncaughtException', (error) => {
    logger.error('an exception was caught by nobody: the process ends', about(error));
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

// The context of whoever made the promise or the timer comes along; the stack names the file of a tool.
function about(error: unknown): Readonly<Record<string, unknown>> {
  return { ...currentRequest.getStore(), error };
}
