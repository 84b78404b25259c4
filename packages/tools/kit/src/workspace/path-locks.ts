const tails = new Map<string, Promise<void>>();

/**
 * Runs `work` while no other work of this process runs with the same key. Work waits in the order of its calls.
 * The key of a file is its path without links, so that two names of one file share a lock.
 */
export async function withPathLock<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  const before = tails.get(key);
  let release = (): void => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  tails.set(key, promise);
  try {
    await before;
    return await work();
  } finally {
    if (tails.get(key) === promise) tails.delete(key);
    release();
  }
}
