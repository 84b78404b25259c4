import type { ProgressUpdate } from '../tool/tool.ts';

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
