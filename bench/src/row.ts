/** One line of the benchmark table. */
export interface BenchRow {
  /** What the line is about: `blobs`, `sandbox`, `invoker`. */
  readonly group: string;
  readonly name: string;
  /** Median of the rounds. */
  readonly ours: number;
  readonly unit: string;
  /** Median of the peer or of the floor, taken in the same rounds. */
  readonly peer?: number;
  readonly peerName?: string;
  /** `ours / peer`. */
  readonly ratio?: number;
  /** What the machine allows at best, taken in the same rounds, in the same unit. */
  readonly floor?: number;
  readonly floorName?: string;
  /** What we aim at, in words that `isReached` reads: `≤ 1 ms`, `≤ 2× floor`, `≥ 1 200 chains/s`. */
  readonly goal?: string;
  /** Why a figure is missing or what to know about it. */
  readonly note?: string;
}
