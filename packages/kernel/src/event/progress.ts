/** What a running tool reports about itself through `ctx.progress`. */
export interface ProgressUpdate {
  /** Share done, 0 to 1, when it is known. */
  readonly fraction?: number;
  readonly message?: string;
}

/** One step of a session that a user interface may show live, calls inside a script included. */
export type ProgressEvent =
  | { readonly type: 'tool-call'; readonly callId: string; readonly tool: string; readonly caller: 'direct' | 'chain' }
  | { readonly type: 'tool-progress'; readonly callId: string; readonly tool: string; readonly update: ProgressUpdate }
  | {
      readonly type: 'tool-result';
      readonly callId: string;
      readonly tool: string;
      readonly status: 'ok' | 'error' | 'denied' | 'timeout' | 'cancelled';
      readonly durationMs: number;
    };

/** Receives progress in order. It must not throw; what it throws is logged and dropped. */
export type ProgressSink = (event: ProgressEvent) => void;
