import type { BlobReader } from '../blob/blob-store.ts';
import type { ModelEvent } from './model-event.ts';
import type { ModelRequest } from './model-request.ts';

/** Options of {@link ModelProvider.stream}. */
export interface ModelCallOptions {
  /** Ends the response with an `E_CANCELLED` error event and closes the connection. */
  readonly signal: AbortSignal;
  /** Reads media blocks that are in a blob store. Without it they are described in words. */
  readonly blobs?: BlobReader;
}

/** Language model. It does not throw when the model or the network fails: the stream ends with an `error` event. */
export interface ModelProvider {
  /** Key of `providerSpecs` and of `providerOptions`. */
  readonly id: string;
  /** Default model for requests that do not name one. */
  readonly model?: string;
  /** Ids of all providers, if this one delegates to several; a request then carries the tool specs of each. */
  readonly providerIds?: readonly string[];
  stream(request: ModelRequest, options: ModelCallOptions): AsyncIterable<ModelEvent>;
}
