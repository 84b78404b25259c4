import { sessionBlobs } from '@ravi/invoker';
import type { InvokerSession } from '@ravi/invoker';
import type { BlobReader, ModelCallOptions, ModelEvent, ModelRequest } from '@ravi/kernel';
import { wrapModel } from '../agent/middleware.ts';
import type { Supervision } from '../supervision/supervision.ts';
import { writeInPlace } from '../supervision/write-in-place.ts';
import type { AgentRun } from './agent-run.ts';

/** Asks the model of a run, through its middleware and its place in the supervision. */
export function streamModel(run: AgentRun, request: ModelRequest): AsyncIterable<ModelEvent> {
  const { session, supervision } = run;
  const { model, middleware, invoker } = run.definition;
  const { artifactStore } = invoker;
  const blobs = artifactStore === undefined ? undefined : sessionBlobs(session, artifactStore);
  const ask = (asked: ModelRequest): AsyncIterable<ModelEvent> =>
    model.stream(asked, new LazyModelCallOptions(session, blobs));
  // Middleware runs outside the place of the supervision, so that it may start agents of its own.
  return wrapModel(middleware, run, supervision === undefined ? ask : inPlace(run, supervision, ask))(request);
}

// A function of its own, so that runs without a supervision do not allocate its closure.
function inPlace(
  { priority, session, definition }: AgentRun,
  supervision: Supervision,
  ask: (asked: ModelRequest) => AsyncIterable<ModelEvent>,
): (asked: ModelRequest) => AsyncIterable<ModelEvent> {
  const writer = { priority, cancellation: session.cancellation, clock: definition.invoker.clock };
  return (asked) => writeInPlace(supervision, writer, () => ask(asked));
}

/** Options of one model call. The signal is created when the provider asks for it. */
// A class, because a literal with a getter gets a hidden class of its own in V8, which lives in the old generation and
// keeps the whole run there until the next full collection.
class LazyModelCallOptions implements ModelCallOptions {
  readonly #session: InvokerSession;
  readonly blobs?: BlobReader;
  /** The agent retries itself, so that the attempts of both do not multiply. */
  readonly maxRetries = 0;

  constructor(session: InvokerSession, blobs: BlobReader | undefined) {
    this.#session = session;
    if (blobs !== undefined) this.blobs = blobs;
  }

  get signal(): AbortSignal {
    return this.#session.signal;
  }
}
