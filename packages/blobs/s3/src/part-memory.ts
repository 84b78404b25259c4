/** Memory of whole parts, which the uploads of a store use one after the other. */
export interface PartMemory {
  /** Returns memory for a whole part. Its content is undefined. */
  take(): Uint8Array;
  /** Gives memory of {@link PartMemory.take} back. Nothing may read it any more. */
  give(memory: Uint8Array): void;
}

const maxKept = 64;

/**
 * Creates the memory of a store with parts of `partBytes`. V8 collects large buffers late, so an upload would have its own next to those of
 * the uploads before it. Unused memory is held weakly: a collection may take it.
 */
export function createPartMemory(partBytes: number): PartMemory {
  const kept: WeakRef<Uint8Array>[] = [];
  return {
    take() {
      for (let last = kept.pop(); last !== undefined; last = kept.pop()) {
        const memory = last.deref();
        if (memory !== undefined) return memory;
      }
      return Buffer.allocUnsafeSlow(partBytes);
    },
    give(memory) {
      if (kept.length < maxKept) kept.push(new WeakRef(memory));
    },
  };
}
