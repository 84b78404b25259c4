const secondSignal = 130;

/**
 * Resolves at the first SIGTERM or SIGINT of this process, and calls `onFirst` at once. A second one ends the process with exit code 130.
 * Only for the main program of a process.
 */
export function shutdownSignal(onFirst: () => void = () => {}): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(secondSignal);
        isStopping = true;
        onFirst();
        resolve(signal);
      });
    }
  });
}
