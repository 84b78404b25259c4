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
import { httpAddress } from './endpoint.ts';
import { attempt, cancelled } from './http-attempt.ts';
import type { HttpRequest } from './http-attempt.ts';
import { thrownError } from './http-error.ts';
import type { Refusal } from './http-error.ts';
import { loadMedia } from './load-media.ts';
import { readAnswer } from './read-answer.ts';
import type { ModelDecoder } from './read-answer.ts';
import { requestHeaders } from './request-headers.ts';
import { backoffMs } from './retry-hints.ts';
import { secretsOf, withoutSecrets } from './secrets.ts';
import { setTimer } from './set-timer.ts';
import { unlessAborted } from './unless-aborted.ts';
import { wireJson } from './wire-json.ts';

/** A request in a provider's own words, and how to read what comes back. */
export interface EncodedCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly warnings: readonly ModelWarning[];
  createDecoder(emit: (event: ModelEvent) => void): ModelDecoder;
}

/** How to reach a provider, the same for all of them. */
export interface ConnectionOptions {
  /** Sent with every request; they win over the provider's own, however a name is written. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Milliseconds without a byte, before the first one or between two, until the request is given up; 600 000 when absent,
   * never for `Infinity`.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** Further attempts of a request that failed before anything of its answer was there; 2 when absent. */
  readonly maxRetries?: number | undefined;
  /**
   * A provider that asks to wait longer, in milliseconds, gets no further attempt; where none asks, no wait is longer.
   * 30 000 when absent.
   */
  readonly maxRetryDelayMs?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly clock?: Clock | undefined;
}

/** What makes a provider out of an encoder and a decoder. */
export interface HttpModelOptions extends ConnectionOptions {
  readonly id: string;
  /** Asked where a request names none. */
  readonly model?: string | undefined;
  /** What it throws becomes an error event, with the code of a KernelError. */
  encode(request: ModelRequest): EncodedCall | Promise<EncodedCall>;
  /** Reads the body of a refusal; `undefined` fields are filled from the status. */
  refusalOf(body: unknown): Pick<Refusal, 'message' | 'providerCode' | 'retryAfterMs'>;
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
      const answer = await connect(sent, signal);
      if (!isResponse(answer)) return yield failed(answer);
      yield* readAnswer(answer, call, { signal, clock, idleTimeoutMs, tellError });
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
