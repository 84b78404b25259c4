/** Where a world keeps its state. */
export type CrashStore =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly schema: string };

/** What a process of the crash test is told, as JSON in its first argument. */
export interface CrashOrders {
  readonly store: CrashStore;
  /** Holds the artifacts, and what the tools did. */
  readonly folder: string;
  /** Runs that it keeps live, together with those that it finds; 0 starts none and ends the process when none is left. */
  readonly liveRuns: number;
  /** Where it kills itself: the so-many-th time that it comes to a point. */
  readonly kill?: { readonly point: string; readonly occurrence: number };
}
