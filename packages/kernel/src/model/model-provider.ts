import type { BlobReader } from '../blob/blob-store.ts';
import type { ModelEvent } from './model-event.ts';
import type { ModelRequest } from './model-request.ts';

/** What comes with a request and is not part of it. */
export interface ModelCallOptions {
  /** Ends the answer with an `E_CANCELLED` error event and lets go of the connection. */
  readonly signal: AbortSignal;
  /** Reads media blocks that lie in a blob store; without it they are described in words. */
  readonly blobs?: BlobReader;
}

/** A language model. It never throws for a model or network failure: the stream ends with an `error` event. */
export interface ModelProvider {
  /** Key of `providerSpecs` and of `providerOptions`. */
  readonly id: string;
  /** The model that a request asks which names none. */
  readonly model?: string;
  /** When several providers stand behind it: the ids of all, so that a request brings each one's own tool specs. */
  readonly providerIds?: readonly string[];
  stream(request: ModelRequest, options: ModelCallOptions): AsyncIterable<ModelEvent>;
}
