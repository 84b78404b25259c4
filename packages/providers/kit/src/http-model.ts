import { systemClock } from '@ravi/kernel';
import type {
  BlobReader,
  Clock,
  ModelError,
  ModelEvent,
  ModelProvider,
  ModelRequest,
  ModelWarning,
} from '@ravi/kernel';
import type { ConnectionOptions } from './connection-options.ts';
import { attempt, cancelled } from './http-attempt.ts';
import type { AttemptOptions } from './http-attempt.ts';
import { thrownError } from './http-error.ts';
import type { ModelDecoder } from './body-reader.ts';
import { httpAddress, requestHeaders } from './http-request.ts';
import type { HttpRequest } from './http-request.ts';
import { loadMedia } from './load-media.ts';
import { readResponse } from './read-response.ts';
import { backoffMs } from './retry-hints.ts';
import { secretsOf, withoutSecrets } from './secrets.ts';
import { wireJson } from './wire.ts';

/** Encoded request and the decoder of its response. */
export interface EncodedCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly warnings: readonly ModelWarning[];
  createDecoder(emit: (event: ModelEvent) => void): ModelDecoder;
}

/** Options of {@link createHttpModel}. */
export interface HttpModelOptions extends ConnectionOptions, Pick<AttemptOptions, 'refusalOf'> {
  readonly id: string;
  /** Model for requests that do not name one. */
  readonly model?: string | undefined;
  /** Encodes a request. A thrown error becomes an error event, with the code of a KernelError. */
  encode(request: ModelRequest): EncodedCall | Promise<EncodedCall>;
}

interface PreparedCall {
  readonly call: EncodedCall;
  readonly sent: HttpRequest;
}

/**
 * Creates a {@link ModelProvider} over fetch, with retries by the provider's hints, timeouts, abort, and errors as
 * events without keys. Put a constant key into `headers`, where it is validated at once.
 * @throws KernelError `E_CONFIG_INVALID` for an invalid header
 */
export function createHttpModel(options: HttpModelOptions): ModelProvider {
  const { id, model, encode, headers = {}, idleTimeoutMs = 600_000 } = options;
  const { maxRetries = 2, maxRetryDelayMs = 30_000, clock = systemClock } = options;
  const configured = secretsOf(requestHeaders(headers));

  const prepare = async (request: ModelRequest, blobs: BlobReader | undefined): Promise<PreparedCall> => {
    const call = await encode(await loadMedia(request, blobs));
    const sent = {
      url: httpAddress('url', call.url),
      headers: requestHeaders({ 'content-type': 'application/json' }, call.headers, headers),
      body: wireJson(call.body),
    };
    return { call, sent };
  };

  /** Returns the response, or the error after the last attempt. */
  const connect = async (request: HttpRequest, signal: AbortSignal): Promise<Response | ModelError> => {
    for (let attempts = 1; ; attempts++) {
      const outcome = await attempt(request, { ...options, clock, idleTimeoutMs, signal });
      if (isResponse(outcome) || !outcome.retryable || attempts > maxRetries) return outcome;
      const delayMs = outcome.retryAfterMs ?? Math.min(backoffMs(attempts), maxRetryDelayMs);
      if (delayMs > maxRetryDelayMs) return outcome;
      await sleep(clock, delayMs, signal);
      if (signal.aborted) return cancelled();
    }
  };

  return {
    id,
    ...(model === undefined ? {} : { model }),
    async *stream(request, { signal, blobs }) {
      let secrets = configured;
      const redact = (error: ModelError): ModelError => withoutSecrets(error, secrets);
      const failed = (error: ModelError): ModelEvent => ({ type: 'error', error: redact(error) });
      if (signal.aborted) return yield failed(cancelled());
      let prepared: PreparedCall | undefined;
      try {
        prepared = await unlessAborted(prepare(request, blobs), signal);
      } catch (error) {
        return yield failed(thrownError('The request could not be encoded', error));
      }
      if (prepared === undefined) return yield failed(cancelled());
      const { call, sent } = prepared;
      secrets = secretsOf(sent.headers, sent.url);
      for (const warning of call.warnings) yield { type: 'warning', warning };
      const response = await connect(sent, signal);
      if (!isResponse(response)) return yield failed(response);
      yield* readResponse(response, call, { signal, clock, idleTimeoutMs, redact });
    },
  };
}

// Not checked by class: servers such as Hono's replace the global class, but `fetch` still returns the original one.
function isResponse(outcome: Response | ModelError): outcome is Response {
  return 'headers' in outcome;
}

async function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.setTimer(resolve, delayMs);
  await unlessAborted(promise, signal);
  timer.cancel();
}

// Returns the value of a promise, or `undefined` once the signal is aborted, even if the promise never settles.
async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
