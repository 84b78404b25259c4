import type { JsonValue } from '../base/json.ts';

/** A media result of a call, readable by the script and by later calls. */
export interface ChainFile {
  /** `/workspace/media/<callId>-<tool>-<n>.<ext>`, unique per call. */
  readonly path: string;
  readonly mediaType: string;
  readonly artifactRef: string;
  readonly bytes: number;
}

/** A failure as a model and a script see it: no secret, host path or stack frame. */
export interface InvocationError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
}

/** The outcome of one call: the same JSON at the bridge, in the journal and over HTTP. */
export interface InvocationResult {
  readonly status: 'ok' | 'error' | 'denied';
  /** What the model reads; a preview with a note when the result was stored. */
  readonly text: string;
  readonly structured?: JsonValue;
  /** The stored result, when it was too large to stay inline. */
  readonly artifactRef?: string;
  /** The start of the stored result. */
  readonly preview?: string;
  readonly files: readonly ChainFile[];
  /** Present unless `status` is `ok`. */
  readonly error?: InvocationError;
}
