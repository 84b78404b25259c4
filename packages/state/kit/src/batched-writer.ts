import { closed } from './errors.ts';

/** Writer that joins items into batches. */
export interface BatchedWriter<Item> {
  /**
   * Resolves when the item is written. Rejects with the problem that `write` returns for the item, with the error that
   * `write` throws for the batch, or with `E_STATE_UNAVAILABLE` after `close`.
   */
  add(item: Item): Promise<void>;
  /** Rejects new items and resolves when all earlier ones are written or rejected. */
  close(): Promise<void>;
}

/** Options of {@link createBatchedWriter}. */
export interface BatchOptions<Item> {
  /** Writes items and returns the problem of each, in their order. Throws if nothing could be written. */
  write(items: readonly Item[]): Promise<readonly (Error | undefined)[]>;
  /** Returns the size of an item in the unit of `maxSize`. */
  sizeOf(item: Item): number;
  readonly maxItems: number;
  readonly maxSize: number;
}

interface Waiting<Item> {
  readonly item: Item;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Creates a writer with group commit: items that arrive while a batch is written, or in the same event loop iteration,
 * form the next batch.
 */
export function createBatchedWriter<Item>(options: BatchOptions<Item>): BatchedWriter<Item> {
  let queue: Waiting<Item>[] = [];
  let running: Promise<void> | undefined;
  let isClosed = false;

  async function run(): Promise<void> {
    while (queue.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const batch = queue.slice(0, countOfNext(queue, options));
      queue = queue.slice(batch.length);
      await write(batch);
    }
    running = undefined;
  }

  async function write(batch: readonly Waiting<Item>[]): Promise<void> {
    try {
      const problems = await options.write(batch.map(({ item }) => item));
      for (const [index, waiting] of batch.entries()) settle(waiting, problems[index]);
    } catch (error) {
      for (const waiting of batch) waiting.reject(error);
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(closed());
        queue.push({ item, resolve, reject });
        running ??= run();
      }),
    async close() {
      isClosed = true;
      await running;
    },
  };
}

function settle(waiting: Waiting<unknown>, problem: Error | undefined): void {
  if (problem === undefined) waiting.resolve();
  else waiting.reject(problem);
}

function countOfNext<Item>(queue: readonly Waiting<Item>[], options: BatchOptions<Item>): number {
  let size = 0;
  let count = 0;
  for (const { item } of queue.slice(0, options.maxItems)) {
    size += options.sizeOf(item);
    if (count > 0 && size > options.maxSize) break;
    count += 1;
  }
  return count;
}
