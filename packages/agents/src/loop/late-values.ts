import type { InvokerSession } from '@ravi/invoker';
import type { BlobReader, ChainCallRecord, ModelCallOptions } from '@ravi/kernel';

// Getters on a prototype: a literal with a getter gets a hidden class of its own in V8, which lives in the old generation
// and keeps the whole run there until the next full collection.

/** The part of a result that is made when somebody reads it: digests of arguments cost more than the calls. */
export class RunTrace {
  readonly #session: InvokerSession;

  constructor(session: InvokerSession) {
    this.#session = session;
  }

  get trace(): readonly ChainCallRecord[] {
    return this.#session.trace;
  }
}

/** What comes with a request; the signal is made when the provider asks for it. */
export class ModelCall implements ModelCallOptions {
  readonly #session: InvokerSession;
  readonly blobs?: BlobReader;

  constructor(session: InvokerSession, blobs: BlobReader | undefined) {
    this.#session = session;
    if (blobs !== undefined) this.blobs = blobs;
  }

  get signal(): AbortSignal {
    return this.#session.signal;
  }
}
