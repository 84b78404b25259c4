import { KernelError, systemClock } from '@ravi/kernel';
import type {
  Clock,
  ModelCallOptions,
  ModelError,
  ModelEvent,
  ModelProvider,
  ModelRequest,
  ModelUsage,
  ModelWarning,
} from '@ravi/kernel';
import { noUsage } from '@ravi/support';
import { addUsage } from '../agent/usage.ts';
import { modelError } from '../conversation/model-response.ts';

/** Options of {@link createFailover}. */
export interface FailoverOptions {
  /** Milliseconds that a failed model is skipped, unless its error has `retryAfterMs`; default 30 000. */
  readonly cooldownMs?: number;
  readonly clock?: Clock;
}

/** Errors about one request: the model itself works, so it is not skipped for other requests. */
const aboutRequest: ReadonlySet<string> = new Set(['E_MODEL_CONTEXT_EXCEEDED', 'E_MODEL_REFUSED_REQUEST']);

/**
 * Creates a model from an ordered list of models. After any failure but a cancellation, the next one is asked: it may have
 * another key, account, limit or set of tools. This also works in the middle of a conversation, because each provider
 * encodes the same history for itself. Streamed output cannot be retracted, so a mid-stream failure is reported, and the
 * retry of the caller (such as the agent loop) goes to the next model. Models that failed recently are asked last, the one
 * whose cooldown ends first before the others. If all fail, the error names each failure and is retryable if one of them
 * is. Usage of failed models is added to the response, at the price of the model that responds.
 * @throws KernelError `E_CONFIG_INVALID` without a model
 */
export function createFailover(models: readonly ModelProvider[], options: FailoverOptions = {}): ModelProvider {
  const { cooldownMs = 30_000, clock = systemClock } = options;
  const [first] = models;
  if (first === undefined) throw new KernelError('E_CONFIG_INVALID', 'A failover needs at least one model');
  const restingUntil = new Map<ModelProvider, number>();

  function candidates(): readonly ModelProvider[] {
    const now = clock.monotonic();
    const until = (model: ModelProvider): number => restingUntil.get(model) ?? 0;
    const ready = models.filter((model) => until(model) <= now);
    const resting = models.filter((model) => until(model) > now).toSorted((left, right) => until(left) - until(right));
    return [...ready, ...resting];
  }

  function rest(model: ModelProvider, error: ModelError): void {
    if (aboutRequest.has(error.code)) return;
    restingUntil.set(model, clock.monotonic() + (error.retryAfterMs ?? cooldownMs));
  }

  return {
    id: first.id,
    ...(first.model === undefined ? {} : { model: first.model }),
    interfaces: [...new Set(models.flatMap(interfacesOf))],
    // Each of them may have to answer. A model that does not know its context refuses what is too long.
    contextTokens(name) {
      const known = models.flatMap((model) => model.contextTokens?.(name) ?? []);
      return known.length === 0 ? undefined : Math.min(...known);
    },
    async *stream(request, callOptions): AsyncGenerator<ModelEvent> {
      const queue = [...candidates()];
      const failures: Failure[] = [];
      let spent = noUsage;
      for (let model = queue.shift(); model !== undefined; model = queue.shift()) {
        const before = spent;
        let isHandedOver = false;
        let error: ModelError | undefined;
        for await (const event of attempt(model, request, callOptions)) {
          if (event.type === 'error') {
            error = event.error;
            continue;
          }
          isHandedOver ||= event.type !== 'warning' && event.type !== 'usage';
          const counted = withUsage(event, before);
          if (counted.type === 'usage') spent = counted.usage;
          yield counted;
        }
        if (error === undefined) {
          restingUntil.delete(model);
          return;
        }
        if (callOptions.signal.aborted || error.code === 'E_CANCELLED') return yield { type: 'error', error };
        rest(model, error);
        failures.push({ model, error });
        if (isHandedOver) return yield { type: 'error', error: queue.length === 0 ? error : atOnce(error) };
      }
      yield { type: 'error', error: combined(failures) };
    },
  };
}

interface Failure {
  readonly model: ModelProvider;
  readonly error: ModelError;
}

/**
 * Returns one error for the failures of all models: the first one that a retry may avoid, else one that a shorter request may avoid, else
 * the first one.
 */
function combined(failures: readonly Failure[]): ModelError {
  const retryable = failures.filter(({ error }) => error.retryable);
  const tooLong = failures.find((failure) => failure.error.code === 'E_MODEL_CONTEXT_EXCEEDED');
  const { error } = (retryable[0] ?? tooLong ?? failures[0]) as Failure;
  if (failures.length === 1) return error;
  const { retryAfterMs: _wait, ...rest } = error;
  const waits = retryable.map((failure) => failure.error.retryAfterMs ?? 0);
  const wait = waits.length === 0 ? 0 : Math.min(...waits);
  const message = failures.map((failure) => `${failure.model.id}: ${failure.error.message}`).join('; ');
  return { ...rest, message: `All models failed: ${message}`, ...(wait > 0 ? { retryAfterMs: wait } : {}) };
}

// Each usage event replaces the one before it, so the usage of failed models is added to every one.
function withUsage(event: ModelEvent, before: ModelUsage): ModelEvent {
  if (before === noUsage || (event.type !== 'usage' && event.type !== 'finish')) return event;
  return { ...event, usage: addUsage(before, event.usage) };
}

// The next attempt goes to another model, so it may begin at once, also after a final error.
function atOnce({ retryAfterMs: _wait, ...error }: ModelError): ModelError {
  return { ...error, retryable: error.retryable || !aboutRequest.has(error.code) };
}

async function* attempt(
  model: ModelProvider,
  request: ModelRequest,
  options: ModelCallOptions,
): AsyncGenerator<ModelEvent> {
  let isEnded = false;
  try {
    const { asked, warnings } = forProvider(request, model);
    for (const warning of warnings) yield { type: 'warning', warning };
    for await (const event of model.stream(asked, options)) {
      isEnded = event.type === 'finish' || event.type === 'error';
      yield event;
      if (isEnded) return;
    }
  } catch (cause) {
    if (isEnded) return;
    yield {
      type: 'error',
      error: modelError('E_MODEL_PROTOCOL', `The model ${model.id} failed: ${String(cause)}`, true),
    };
    return;
  }
  yield {
    type: 'error',
    error: modelError('E_MODEL_TRUNCATED', `The response of ${model.id} ended without a finish event`, true),
  };
}

/** Returns the request with the tools that a model understands, and a warning for each tool that it has no spec for. */
function forProvider(
  request: ModelRequest,
  model: ModelProvider,
): { readonly asked: ModelRequest; readonly warnings: readonly ModelWarning[] } {
  const interfaces = new Set(interfacesOf(model));
  const tools = request.tools.filter((spec) => spec.type === 'function' || interfaces.has(spec.provider));
  const kept = new Set(tools.map(({ name }) => name));
  const dropped = new Set(request.tools.flatMap(({ name }) => (kept.has(name) ? [] : [name])));
  const warnings = Array.from(dropped, (tool): ModelWarning => {
    const message = `Tool ${tool} is not offered: it has no spec for ${[...interfaces].join(' or ')}`;
    return { code: 'tool-dropped', tool, message };
  });
  return { asked: { ...request, tools }, warnings };
}

function interfacesOf(model: ModelProvider): readonly string[] {
  return model.interfaces ?? [model.id];
}
