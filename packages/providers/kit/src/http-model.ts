import { KernelError, systemClock } from '@ravi/kernel';
import type {
  BlobReader,
  Clock,
  ModelError,
  ModelEvent,
  ModelProvider,
  ModelRequest,
  ModelWarning,
} from '@ravi/kernel';
import { retryDelayMs } from '@ravi/support';
import { connectionDefaults } from './connection-options.ts';
import type { ConnectionLimits, ConnectionOptions } from './connection-options.ts';
import { contextTokensOf } from './context-tokens.ts';
import { createDeadlines } from './deadlines.ts';
import { attempt, cancelled } from './http-attempt.ts';
import type { AttemptOptions } from './http-attempt.ts';
import { thrownError } from './http-error.ts';
import type { ModelDecoder } from './body-reader.ts';
import { httpAddress, requestHeaders } from './http-request.ts';
import type { HttpRequest } from './http-request.ts';
import { loadMedia } from './load-media.ts';
import { readResponse } from './read-response.ts';
import { secretsOf, withoutSecrets } from './secrets.ts';
import { wireJson } from './wire.ts';

/** Encoded request and the decoder of its response. */
export interface EncodedCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly warnings: readonly ModelWarning[];
  /** True if the provider starts a job of its own for the request: it is not repeated once it may have started. */
  readonly startsJob?: boolean;
  createDecoder(emit: (event: ModelEvent) => void): ModelDecoder;
}

/** Options of {@link createHttpModel}. */
export interface HttpModelOptions extends ConnectionOptions, Pick<AttemptOptions, 'refusalOf'> {
  readonly id: string;
  /** Model for requests that do not name one. */
  readonly model?: string | undefined;
  /** Keys of `providerSpecs` that the encoder understands; the id by default. */
  readonly interfaces?: readonly string[] | undefined;
  /** Encodes a request. A thrown error becomes an error event, with the code of a KernelError. */
  encode(request: ModelRequest): EncodedCall | Promise<EncodedCall>;
}

interface PreparedCall {
  readonly call: EncodedCall;
  readonly sent: HttpRequest;
}

/**
 * Creates a {@link ModelProvider} over fetch, with retries until the first output, limits of time and size, abort, and
 * errors as events without keys. Put a constant key into `headers`, where it is validated at once.
 * @throws KernelError `E_CONFIG_INVALID` for an invalid header
 */
export function createHttpModel(options: HttpModelOptions): ModelProvider {
  const { id, model, encode, interfaces, headers = {}, clock = systemClock } = options;
  const limits = { ...connectionDefaults, ...definedIn(options) };
  const configured = secretsOf(requestHeaders(headers));

  const prepare = async (request: ModelRequest, blobs: BlobReader | undefined): Promise<PreparedCall> => {
    const call = await encode(await loadMedia(request, blobs));
    const body = wireJson(call.body);
    const bytes = Buffer.byteLength(body);
    if (bytes > limits.maxRequestBytes) {
      const message = `The request has ${bytes} bytes, more than the limit of ${limits.maxRequestBytes} (maxRequestBytes)`;
      throw new KernelError('E_MODEL_REFUSED_REQUEST', message);
    }
    const sent = {
      url: httpAddress('url', call.url),
      headers: requestHeaders({ 'content-type': 'application/json' }, call.headers, headers),
      body,
    };
    return { call, sent };
  };

  /** Yields the events of one attempt. */
  async function* ask({ call, sent }: PreparedCall, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const deadlines = createDeadlines(clock, limits);
    const { maxErrorBytes, maxResponseBytes } = limits;
    const outcome = await attempt(sent, { ...options, clock, deadlines, maxErrorBytes, signal });
    if (isResponse(outcome)) yield* readResponse(outcome, call, { signal, deadlines, maxResponseBytes });
    else yield { type: 'error', error: outcome };
  }

  return {
    id,
    ...(model === undefined ? {} : { model }),
    ...(interfaces === undefined ? {} : { interfaces }),
    contextTokens: (name = model) => (name === undefined ? undefined : contextTokensOf(name)),
    async *stream(request, { signal, blobs, maxRetries = limits.maxRetries }) {
      let secrets = configured;
      const failed = (error: ModelError): ModelEvent => ({ type: 'error', error: withoutSecrets(error, secrets) });
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
      for (let attempts = 1; ; attempts++) {
        let failure: ModelError | undefined;
        let hasOutput = false;
        for await (const event of ask(prepared, signal)) {
          if (event.type === 'error') failure = call.startsJob === true ? unlessStarted(event.error) : event.error;
          else {
            hasOutput ||= event.type !== 'usage';
            yield event;
          }
        }
        if (failure === undefined) return;
        const policy = { maxRetries, maxDelayMs: limits.maxRetryDelayMs };
        const delayMs = hasOutput ? undefined : retryDelayMs(failure, attempts, policy);
        if (delayMs === undefined) return yield failed(failure);
        await sleep(clock, delayMs, signal);
        if (signal.aborted) return yield failed(cancelled());
      }
    },
  };
}

/** Returns the limits that are set. */
function definedIn(options: ConnectionOptions): Partial<ConnectionLimits> {
  const names = Object.keys(connectionDefaults) as (keyof ConnectionLimits)[];
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}

/** Statuses with which a provider refuses a request before it starts anything. */
const refusedAtOnce: ReadonlySet<number | undefined> = new Set([429, 503, 529]);

/** Returns the error of a request that starts a job: final unless the job certainly did not start. */
function unlessStarted(error: ModelError): ModelError {
  const isSafe = error.code === 'E_MODEL_UNREACHABLE' || refusedAtOnce.has(error.status);
  if (isSafe || !error.retryable) return error;
  const { retryAfterMs: _wait, ...rest } = error;
  return { ...rest, retryable: false, message: `${error.message}; the job may run, so the request is not repeated` };
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
