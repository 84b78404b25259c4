import { KernelError, systemClock } from '@ravi/kernel';
import type { Clock, ModelCallOptions, ModelEvent, ModelProvider, ModelRequest, ModelUsage } from '@ravi/kernel';
import { addUsage } from '../agent/usage.ts';
import { modelError, noUsage } from '../conversation/model-response.ts';

/** Options of {@link createFailover}. */
export interface FailoverOptions {
  /** Milliseconds that a failed model is skipped, unless its error has `retryAfterMs`; default 30 000. */
  readonly cooldownMs?: number;
  readonly clock?: Clock;
}

/**
 * Creates a model from an ordered list of models. A retryable failure moves on to the next one, also in the middle of a
 * conversation: each provider encodes the same history for itself. Streamed output cannot be retracted, so a mid-stream
 * failure is reported, and the retry of the caller (such as the agent loop) goes to the next model. If all have failed
 * recently, the one whose cooldown ends first is asked. Usage of failed models is added to the response, at the price of
 * the model that responds.
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

  return {
    id: first.id,
    providerIds: [...new Set(models.flatMap(idsOf))],
    async *stream(request, callOptions): AsyncGenerator<ModelEvent> {
      const [...queue] = candidates();
      let spent = noUsage;
      for (let model = queue.shift(); model !== undefined; model = queue.shift()) {
        const before = spent;
        let isHandedOver = false;
        let failure: (ModelEvent & { readonly type: 'error' }) | undefined;
        for await (const event of attempt(model, request, callOptions)) {
          if (event.type === 'error') {
            failure = event;
            continue;
          }
          isHandedOver ||= event.type !== 'warning' && event.type !== 'usage';
          const counted = withUsage(event, before);
          if (counted.type === 'usage') spent = counted.usage;
          yield counted;
        }
        if (failure === undefined) {
          restingUntil.delete(model);
          return;
        }
        if (!failure.error.retryable || callOptions.signal.aborted) return yield failure;
        restingUntil.set(model, clock.monotonic() + (failure.error.retryAfterMs ?? cooldownMs));
        if (isHandedOver || queue.length === 0) return yield queue.length === 0 ? failure : atOnce(failure);
      }
    },
  };
}

// Each usage event replaces the one before it, so the usage of failed models is added to every one.
function withUsage(event: ModelEvent, before: ModelUsage): ModelEvent {
  if (before === noUsage || (event.type !== 'usage' && event.type !== 'finish')) return event;
  return { ...event, usage: addUsage(before, event.usage) };
}

// The next attempt goes to another model, so the delay does not apply.
function atOnce({ error }: ModelEvent & { readonly type: 'error' }): ModelEvent {
  const { retryAfterMs: _, ...rest } = error;
  return { type: 'error', error: rest };
}

async function* attempt(
  model: ModelProvider,
  request: ModelRequest,
  options: ModelCallOptions,
): AsyncGenerator<ModelEvent> {
  let isEnded = false;
  try {
    for await (const event of model.stream(forProvider(request, model), options)) {
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

function forProvider(request: ModelRequest, model: ModelProvider): ModelRequest {
  const ids = new Set(idsOf(model));
  return { ...request, tools: request.tools.filter((spec) => spec.type === 'function' || ids.has(spec.provider)) };
}

function idsOf(model: ModelProvider): readonly string[] {
  return model.providerIds ?? [model.id];
}
