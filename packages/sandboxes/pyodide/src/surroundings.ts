/**
 * Creates the globals by which Pyodide recognises a shell, which has no network, no file system and no event loop. Its few
 * timers are for loading, and fire at once.
 * Runs in the isolate: it must refer to nothing outside itself.
 */
export function createSurroundings(): Readonly<Record<string, unknown>> {
  const nothing = (): void => {};
  return {
    window: {},
    load: nothing,
    read: nothing,
    setTimeout: (callback: () => void) => void Promise.resolve().then(callback),
    clearTimeout: nothing,
    console: { log: nothing, warn: nothing, error: nothing, info: nothing, debug: nothing },
  };
}
