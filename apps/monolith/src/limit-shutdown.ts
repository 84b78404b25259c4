const disposalLimitMs = 10_000;

/** Ends the process with 1 when it is still there in ten seconds. */
export function limitShutdown(): void {
  setTimeout(() => process.exit(1), disposalLimitMs).unref();
}
