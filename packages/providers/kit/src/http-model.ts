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
import { setTimer, unlessAborted } from './timing.ts';
import { wireJson } from './wire.ts';

/** A request in a provider's own words, and how to read what comes back. */
export interface EncodedCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly warnings: readonly ModelWarning[];
  createDecoder(emit: (event: ModelEvent) => void): ModelDecoder;
}

/** What makes a provider out of an encoder and a decoder. */
export interface HttpModelOptions extends ConnectionOptions, Pick<AttemptOptions, 'refusalOf'> {
  readonly id: string;
  /** Asked where a request names none. */
  readonly model?: string | undefined;
  /** What it throws becomes an error event, with the code of a KernelError. */
  encode(request: ModelRequest): EncodedCall | Promise<EncodedCall>;
}

interface PreparedCall {
  readonly call: EncodedCall;
  readonly sent: HttpRequest;
}

/**
 * A {@link ModelProvider} over fetch: retries by the provider's hints, time limits, abort, and errors as events that tell
 * no keys. A key that stays the same belongs into `headers`, where it is checked at once.
 * @throws KernelError `E_CONFIG_INVALID` for a header that cannot be sent
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

  /** The answer, or the error after the last attempt. */
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
      const tellError = (error: ModelError): ModelError => withoutSecrets(error, secrets);
      const failed = (error: ModelError): ModelEvent => ({ type: 'error', error: tellError(error) });
      if (signal.aborted) return yield failed(cancelled());
      let prepared: PreparedCall | undefined;
      try {
        prepared = await unlessAborted(prepare(request, blobs), signal);
      } catch (error) {
        return yield failed(thrownError('The request could not be written', error));
      }
      if (prepared === undefined) return yield failed(cancelled());
      const { call, sent } = prepared;
      secrets = secretsOf(sent.headers, sent.url);
      for (const warning of call.warnings) yield { type: 'warning', warning };
      const response = await connect(sent, signal);
      if (!isResponse(response)) return yield failed(response);
      yield* readResponse(response, call, { signal, clock, idleTimeoutMs, tellError });
    },
  };
}

// Not by its class: servers such as Hono's put one of their own in the place of the global one, which `fetch` goes on
// without.
function isResponse(outcome: Response | ModelError): outcome is Response {
  return 'headers' in outcome;
}

async function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimer(clock, resolve, delayMs);
  await unlessAborted(promise, signal);
  timer?.cancel();
}
