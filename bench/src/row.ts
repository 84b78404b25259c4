/** Line of the benchmark table. */
export interface BenchRow {
  /** Subject of the line: `blobs`, `sandbox`, `invoker`. */
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
  /** Best that the machine allows, taken in the same rounds, in the same unit. */
  readonly floor?: number;
  readonly floorName?: string;
  /** Goal in the notation of `isReached`: `≤ 1 ms`, `≤ 2× floor`, `≥ 1 200 chains/s`. */
  readonly goal?: string;
  /** Note about the figure, or the reason why it is missing. */
  readonly note?: string;
}

/** Settings of a run. */
export interface BenchSettings {
  /** Counted rounds; the median of their figures is reported. */
  readonly rounds: number;
}

/** Group of rows that are measured together. */
export type BenchGroup = (settings: BenchSettings) => Promise<readonly BenchRow[]>;
