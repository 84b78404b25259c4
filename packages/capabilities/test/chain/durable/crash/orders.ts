/** State store of a world. */
export type CrashStore =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly schema: string };

/** Orders of a process of the crash test, as JSON in its first argument. */
export interface CrashOrders {
  readonly store: CrashStore;
  /** Folder of the artifacts and of the effects of tools. */
  readonly folder: string;
  /** Number of runs that it keeps active, including those that it finds; 0 starts none and ends the process when none is left. */
  readonly liveRuns: number;
  /** Point at which it kills itself, and how often it passes that point before. */
  readonly kill?: { readonly point: string; readonly occurrence: number };
}
