import type { BenchRow } from './row.ts';

/** Settings of a run. */
export interface BenchSettings {
  /** Counted rounds; the median of their figures is reported. */
  readonly rounds: number;
}

/** Group of rows that are measured together. */
export type BenchGroup = (settings: BenchSettings) => Promise<readonly BenchRow[]>;
