import type { BenchRow } from './row.ts';

/** How thorough a run is. */
export interface BenchSettings {
  /** Counted rounds; the median of their figures is reported. */
  readonly rounds: number;
}

/** A family of rows, measured together. */
export type BenchGroup = (settings: BenchSettings) => Promise<readonly BenchRow[]>;
