import type { JsonValue } from '../base/json.ts';

/** File of a call or a script, readable by scripts and by later calls. */
export interface ChainFile {
  /** `/workspace/media/<callId>-<tool>-<n>.<ext>`, unique per call, or `/workspace/out/<name>` of a script. */
  readonly path: string;
  readonly mediaType: string;
  readonly artifactRef: string;
  readonly bytes: number;
  /** Name that its creator chose. */
  readonly name?: string;
}

/** Failure as shown to a model or a script: without secrets, host paths and stack frames. */
export interface InvocationError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
}

/** Outcome of one call. The same JSON is used at the bridge, in the journal and over HTTP. */
export interface InvocationResult {
  readonly status: 'ok' | 'error' | 'denied';
  /** Text for the model; a preview with a note when the result was stored. */
  readonly text: string;
  readonly structured?: JsonValue;
  /** Ref of the stored result, if it was too large to stay inline. */
  readonly artifactRef?: string;
  /** Beginning of the stored result. */
  readonly preview?: string;
  readonly files: readonly ChainFile[];
  /** Present unless `status` is `ok`. */
  readonly error?: InvocationError;
}
