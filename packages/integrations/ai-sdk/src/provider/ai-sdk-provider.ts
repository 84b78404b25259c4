import { systemClock } from '@ravi/kernel';
import type { Clock, ModelCallOptions, ModelError, ModelEvent, ModelProvider, ModelRequest } from '@ravi/kernel';
import { loadMedia, modelError } from '@ravi/provider-kit';
import { retryDelayMs } from '@ravi/support';
import { wrapLanguageModel } from 'ai';
import type { LanguageModel } from 'ai';
import { createDecoder } from './decode-response.ts';
import { encodeRequest } from './encode-request.ts';
import type { EncodedRequest } from './encode-request.ts';
import { errorOf } from './model-error.ts';
import type { SdkModel, StreamPart } from './encode-prompt.ts';

/** Options of {@link createAiSdkProvider}. */
export interface AiSdkProviderOptions {
  /** Key of `providerOptions`; the beginning of the model's provider, such as `openai`, when absent. */
  readonly id?: string;
  /** Returns the model that a request names. Without it such a request uses the model of the provider, with a warning. */
  readonly modelOf?: (name: string) => Exclude<LanguageModel, string>;
  /** Maximum number of retries before the first output; 2 when absent. */
  readonly maxRetries?: number;
  /** Longest wait between two attempts, in milliseconds; 60 000 when absent. */
  readonly maxRetryDelayMs?: number;
  readonly clock?: Clock;
}

const defaultRetries = 2;
const defaultRetryDelayMs = 60_000;

/**
 * Makes a model of the AI SDK the model of an agent of Ravi. It has no time limits of its own: set those of the SDK's provider. The
 * key of `providerSpecs` for tools of the provider is `<id>/ai-sdk`; a spec has the `id` and `args` of the SDK's tool.
 */
export function createAiSdkProvider(
  languageModel: Exclude<LanguageModel, string>,
  options: AiSdkProviderOptions = {},
): ModelProvider {
  const model = current(languageModel);
  const { id = model.provider.split('.')[0] ?? model.provider, modelOf, clock = systemClock } = options;
  const specs = `${id}/ai-sdk`;
  const policy = { maxDelayMs: options.maxRetryDelayMs ?? defaultRetryDelayMs };

  const chosen = (request: ModelRequest): SdkModel =>
    request.model === undefined || modelOf === undefined ? model : current(modelOf(request.model));

  async function* stream(
    request: ModelRequest,
    { signal, blobs, maxRetries = options.maxRetries ?? defaultRetries }: ModelCallOptions,
  ): AsyncGenerator<ModelEvent> {
    if (signal.aborted) return yield failed(cancelled());
    let used: SdkModel;
    let encoded: EncodedRequest;
    try {
      used = chosen(request);
      encoded = await encodeRequest(await loadMedia(request, blobs), used, specs);
    } catch (error) {
      return yield failed(errorOf(error, clock.now()));
    }
    for (const warning of encoded.warnings) yield { type: 'warning', warning };
    if (request.model !== undefined && modelOf === undefined) {
      yield { type: 'warning', warning: { code: 'option-ignored', message: 'The model of the request is not used' } };
    }
    for (let attempts = 1; ; attempts++) {
      let failure: ModelError | undefined;
      let hasOutput = false;
      for await (const event of ask(used, encoded, signal, clock)) {
        if (event.type === 'error') failure = event.error;
        else {
          hasOutput ||= event.type !== 'usage' && event.type !== 'warning';
          yield event;
        }
      }
      if (failure === undefined) return;
      const delayMs = hasOutput ? undefined : retryDelayMs(failure, attempts, { ...policy, maxRetries });
      if (delayMs === undefined) return yield failed(failure);
      await sleep(clock, delayMs, signal);
      if (signal.aborted) return yield failed(cancelled());
    }
  }
  return { id, model: model.modelId, interfaces: [specs], stream };
}

// Converts models of older versions of the specification.
function current(model: Exclude<LanguageModel, string>): SdkModel {
  return wrapLanguageModel({ model, middleware: [] });
}

/** Yields the events of one attempt. */
async function* ask(
  model: SdkModel,
  { options, context }: EncodedRequest,
  signal: AbortSignal,
  clock: Clock,
): AsyncGenerator<ModelEvent> {
  const events: ModelEvent[] = [];
  const decoder = createDecoder(context, (event) => events.push(event));
  const aborted = Promise.withResolvers<'aborted'>();
  const onAbort = (): void => aborted.resolve('aborted');
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  let reader: ReadableStreamDefaultReader<StreamPart> | undefined;
  try {
    const response = Promise.resolve(model.doStream({ ...options, abortSignal: signal }));
    // It is dropped if the signal aborts first.
    response.catch(() => undefined);
    const opened = await Promise.race([response, aborted.promise]);
    if (opened === 'aborted') {
      void response.then(({ stream }) => stream.cancel()).catch(() => undefined);
      return yield failed(cancelled());
    }
    reader = opened.stream.getReader();
    while (!decoder.isOver) {
      const read = await Promise.race([reader.read(), aborted.promise]);
      if (read === 'aborted') return yield failed(cancelled());
      if (read.done) decoder.end();
      else decoder.read(read.value);
      yield* events.splice(0);
    }
  } catch (error) {
    yield failed(signal.aborted ? cancelled() : errorOf(error, clock.now()));
  } finally {
    signal.removeEventListener('abort', onAbort);
    void reader?.cancel().catch(() => undefined);
  }
}

function failed(error: ModelError): ModelEvent {
  return { type: 'error', error };
}

function cancelled(): ModelError {
  return modelError('E_CANCELLED', 'The request was cancelled', false);
}

async function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.setTimer(resolve, delayMs);
  const onAbort = (): void => resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) resolve();
  await promise;
  signal.removeEventListener('abort', onAbort);
  timer.cancel();
}
