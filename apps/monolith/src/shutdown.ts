import { shutdownSignal } from '@ravi/host/shutdown-signal';

const disposalLimitMs = 10_000;

/**
 * Resolves at the first SIGTERM or SIGINT. From then on the process ends in bounded time: a second signal ends it at once,
 * and a disposal that hangs ends after ten seconds.
 */
export function untilShutdown(): Promise<NodeJS.Signals> {
  return shutdownSignal(limitShutdown);
}

/** Ends the process with exit code 1 if it is still alive in ten seconds. */
export function limitShutdown(): void {
  setTimeout(() => process.exit(1), disposalLimitMs).unref();
}
