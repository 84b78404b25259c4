import { KernelError, systemClock } from '@ravi/kernel';
import type { Clock, ModelCallOptions, ModelEvent, ModelProvider, ModelRequest, ModelUsage } from '@ravi/kernel';
import { modelError, noUsage } from '../loop/model-response.ts';
import { addUsage } from '../loop/usage.ts';

/** Options of {@link createFailover}. */
export interface FailoverOptions {
  /** How long a model that failed is passed over, unless it said how long itself; 30 000 ms when absent. */
  readonly cooldownMs?: number;
  readonly clock?: Clock;
}

/**
 * An ordered list of models as one. A retryable failure moves on to the next, in the middle of a conversation too: each
 * provider encodes the same history for itself. Once something of an answer was handed over it cannot be taken back, so
 * the failure is, too, and who asks again, as the agent loop does, gets the next model. When all have failed lately, the
 * one whose time is up first is asked. What failed models used counts with the answer, at the price of who answers.
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

// Counts of an answer replace those before it, and what failed models used counts too.
function withUsage(event: ModelEvent, before: ModelUsage): ModelEvent {
  if (before === noUsage || (event.type !== 'usage' && event.type !== 'finish')) return event;
  return { ...event, usage: addUsage(before, event.usage) };
}

// The next attempt goes to another model, which need not be waited for.
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
  yield { type: 'error', error: modelError('E_MODEL_TRUNCATED', `The answer of ${model.id} has no end`, true) };
}

function forProvider(request: ModelRequest, model: ModelProvider): ModelRequest {
  const ids = new Set(idsOf(model));
  return { ...request, tools: request.tools.filter((spec) => spec.type === 'function' || ids.has(spec.provider)) };
}

function idsOf(model: ModelProvider): readonly string[] {
  return model.providerIds ?? [model.id];
}
