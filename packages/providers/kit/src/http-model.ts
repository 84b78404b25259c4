import { isKernelError, systemClock } from '@ravi/kernel';
import type { Clock, ModelError, ModelEvent, ModelProvider, ModelRequest, ModelWarning } from '@ravi/kernel';
import { modelError, modelErrorOf } from './http-error.ts';
import type { Refusal } from './http-error.ts';
import { loadMedia } from './load-media.ts';
import { readAnswer } from './read-answer.ts';
import type { ModelDecoder } from './read-answer.ts';
import { backoffMs } from './retry-hints.ts';
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
  /** Sent with every request; they win over the provider's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds without a byte, before the first one or between two, until the request is given up; 600 000 when absent. */
  readonly idleTimeoutMs?: number | undefined;
  /** Further attempts of a request that failed before anything of its answer was there; 2 when absent. */
  readonly maxRetries?: number | undefined;
  /** A provider that asks to wait longer, in milliseconds, gets no further attempt; 30 000 when absent. */
  readonly maxRetryDelayMs?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly clock?: Clock | undefined;
}

/** What makes a provider out of an encoder and a decoder. */
export interface HttpModelOptions extends ConnectionOptions {
  readonly id: string;
  /** Asked where a request names none. */
  readonly model?: string | undefined;
  /** What it throws as KernelError becomes an error event. */
  encode(request: ModelRequest): EncodedCall | Promise<EncodedCall>;
  /** Reads the body of a refusal; `undefined` fields are filled from the status. */
  refusalOf(body: unknown): Pick<Refusal, 'message' | 'providerCode' | 'retryAfterMs'>;
}

/** A {@link ModelProvider} over fetch: retries by the provider's hints, time limits, abort, and errors as events. */
export function createHttpModel(options: HttpModelOptions): ModelProvider {
  const { id, model, encode, maxRetries = 2, maxRetryDelayMs = 30_000, clock = systemClock } = options;

  /** The answer, or the error after the last attempt. */
  const connect = async (call: EncodedCall, signal: AbortSignal): Promise<Response | ModelError> => {
    const body = wireJson(call.body);
    for (let attempt = 1; ; attempt++) {
      const outcome = await attemptOnce(call, body, options, clock, signal);
      if (isResponse(outcome) || !outcome.retryable || attempt > maxRetries) return outcome;
      const delayMs = outcome.retryAfterMs ?? backoffMs(attempt);
      if (delayMs > maxRetryDelayMs) return outcome;
      await sleep(clock, delayMs, signal);
      if (signal.aborted) return cancelled();
    }
  };

  return {
    id,
    ...(model === undefined ? {} : { model }),
    async *stream(request, { signal, blobs }) {
      if (signal.aborted) return yield failed(cancelled());
      let call: EncodedCall;
      try {
        call = await encode(await loadMedia(request, blobs));
      } catch (error) {
        if (!isKernelError(error)) throw error;
        return yield failed({ code: error.code, message: error.message, retryable: error.retryable });
      }
      for (const warning of call.warnings) yield { type: 'warning', warning };
      const answer = await connect(call, signal);
      if (!isResponse(answer)) return yield failed(answer);
      yield* readAnswer(answer, call, { signal, clock, idleTimeoutMs: options.idleTimeoutMs ?? 600_000 });
    },
  };
}

async function attemptOnce(
  call: EncodedCall,
  body: string,
  { headers, idleTimeoutMs = 600_000, fetch: send = fetch, refusalOf }: HttpModelOptions,
  clock: Clock,
  signal: AbortSignal,
): Promise<Response | ModelError> {
  const patience = new AbortController();
  const timer = clock.setTimer(() => patience.abort(), idleTimeoutMs);
  try {
    const response = await send(call.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...call.headers, ...headers },
      body,
      signal: AbortSignal.any([signal, patience.signal]),
    });
    if (response.ok) return response;
    const refusal = { status: response.status, headers: response.headers, ...refusalOf(await bodyOf(response)) };
    return withoutSecrets(modelErrorOf(refusal, clock.now()), { ...call.headers, ...headers });
  } catch (error) {
    if (signal.aborted) return cancelled();
    if (patience.signal.aborted) {
      return modelError('E_MODEL_TIMEOUT', `The model provider did not answer within ${idleTimeoutMs} ms`, true);
    }
    return modelError('E_MODEL_UNAVAILABLE', `The model provider cannot be reached: ${reasonOf(error)}`, true);
  } finally {
    timer.cancel();
  }
}

// Not by its class: servers such as Hono's put one of their own in the place of the global one, which `fetch` goes on
// without.
function isResponse(outcome: Response | ModelError): outcome is Response {
  return 'headers' in outcome;
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function failed(error: ModelError): ModelEvent {
  return { type: 'error', error };
}

function cancelled(): ModelError {
  return modelError('E_CANCELLED', 'The request was cancelled', false);
}

/** A provider may repeat the key that it refuses. */
function withoutSecrets(error: ModelError, headers: Readonly<Record<string, string>>): ModelError {
  let { message } = error;
  for (const [name, value] of Object.entries(headers)) {
    if (!/authorization|key|token/iu.test(name)) continue;
    for (const secret of value.split(' ')) if (secret.length > 7) message = message.replaceAll(secret, '[key]');
  }
  return { ...error, message };
}

/** The code of the socket's error where there is one: `fetch failed` says nothing. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : message;
}

async function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      timer.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimer(done, delayMs);
    signal.addEventListener('abort', done);
  });
}
