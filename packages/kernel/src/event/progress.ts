import type { ProgressUpdate } from '../tool/tool.ts';

/** Progress of a call, for live display. Calls inside a script are reported too. */
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

/** Receives progress in order. It should not throw: exceptions are logged and dropped. */
export type ProgressSink = (event: ProgressEvent) => void;
