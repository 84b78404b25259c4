import type { Clock, ModelCallOptions, ModelEvent, ModelProvider } from '@ravi/kernel';

/** Limits of one model in this process; an absent field has no limit. */
export interface ModelLimits {
  readonly requestsPerMinute?: number;
  /** Input and output tokens. A request begins while fewer than this were used within the last minute. */
  readonly tokensPerMinute?: number;
  /** Responses that are written at the same time. */
  readonly maxConcurrent?: number;
  /** Longest wait of a request for its turn, in milliseconds; default 10 000. */
  readonly maxWaitMs?: number;
}

interface Spent {
  readonly at: number;
  tokens: number;
}

interface Refusal {
  readonly limit: string;
  readonly retryAfterMs: number;
}

const minuteMs = 60_000;

/**
 * Returns a model that keeps to limits. A request waits for its turn; one that would wait for longer than `maxWaitMs` ends with a
 * retryable `E_MODEL_RATE_LIMITED`, after which a failover asks its next model.
 */
export function limitModel(model: ModelProvider, limits: ModelLimits, clock: Clock): ModelProvider {
  const { requestsPerMinute = Infinity, tokensPerMinute = Infinity, maxConcurrent = Infinity } = limits;
  const { maxWaitMs = 10_000 } = limits;
  const waiting = new Set<() => void>();
  let spent: readonly Spent[] = [];
  let running = 0;

  /** Returns the limit that is reached, with the time until it is not; `undefined` if a request may begin. */
  function reached(): Refusal | undefined {
    const now = clock.monotonic();
    spent = spent.filter(({ at }) => at > now - minuteMs);
    const oldest = spent[spent.length - requestsPerMinute];
    if (oldest !== undefined) return { limit: 'requestsPerMinute', retryAfterMs: oldest.at + minuteMs - now };
    let tokens = 0;
    const last = spent.findLast((each) => (tokens += each.tokens) >= tokensPerMinute);
    if (last !== undefined) return { limit: 'tokensPerMinute', retryAfterMs: last.at + minuteMs - now };
    return running < maxConcurrent ? undefined : { limit: 'maxConcurrent', retryAfterMs: 0 };
  }

  async function begin(signal: AbortSignal): Promise<Spent | Refusal> {
    const deadline = clock.monotonic() + maxWaitMs;
    for (let refusal = reached(); refusal !== undefined; refusal = reached()) {
      const left = deadline - clock.monotonic();
      if (left <= 0 || refusal.retryAfterMs > left || signal.aborted) return refusal;
      await turn(refusal.limit === 'maxConcurrent' ? left : refusal.retryAfterMs, signal);
    }
    const entry = { at: clock.monotonic(), tokens: 0 };
    spent = [...spent, entry];
    running++;
    return entry;
  }

  function turn(limitMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = clock.setTimer(resolve, limitMs);
    const wake = (): void => resolve();
    waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    return promise.finally(() => {
      timer.cancel();
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
    });
  }

  async function* stream(...[request, options]: Parameters<ModelProvider['stream']>): AsyncGenerator<ModelEvent> {
    const entry = await begin(options.signal);
    if ('limit' in entry) return yield refused(model, entry, options);
    try {
      for await (const event of model.stream(request, options)) {
        if (event.type === 'usage' || event.type === 'finish') {
          entry.tokens = event.usage.inputTokens + event.usage.outputTokens;
        }
        yield event;
      }
    } finally {
      running--;
      for (const wake of waiting) wake();
    }
  }

  return withStream(model, stream);
}

/**
 * Returns a model that has the facts of another one, and streams in its own way. Wrappers use it, so that none of them forgets a fact:
 * the names under which a model is known, its interfaces and the size of its context.
 */
export function withStream(provider: ModelProvider, stream: ModelProvider['stream']): ModelProvider {
  const { id, model, interfaces } = provider;
  return {
    id,
    ...(model === undefined ? {} : { model }),
    ...(interfaces === undefined ? {} : { interfaces }),
    contextTokens: (name) => provider.contextTokens?.(name),
    stream,
  };
}

function refused(model: ModelProvider, { limit, retryAfterMs }: Refusal, { signal }: ModelCallOptions): ModelEvent {
  if (signal.aborted) {
    return { type: 'error', error: { code: 'E_CANCELLED', message: 'The request was cancelled', retryable: false } };
  }
  const message = `The model ${model.model ?? model.id} has reached its limit ${limit}`;
  const wait = retryAfterMs > 0 ? { retryAfterMs } : {};
  return { type: 'error', error: { code: 'E_MODEL_RATE_LIMITED', message, retryable: true, ...wait } };
}
