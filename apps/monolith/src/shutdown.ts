const secondSignal = 130;
const disposalLimitMs = 10_000;

/**
 * Resolves at the first SIGTERM or SIGINT. From then on the process ends in bounded time: a second signal or a disposal
 * that hangs ends it at once.
 */
export function untilShutdown(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isAsked = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (isAsked) process.exit(secondSignal);
        isAsked = true;
        limitShutdown();
        resolve(signal);
      });
    }
  });
}

/** Ends the process with 1 when it is still there in ten seconds. */
export function limitShutdown(): void {
  setTimeout(() => process.exit(1), disposalLimitMs).unref();
}
