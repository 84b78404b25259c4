import { silentLogger, systemClock } from '@ravi/kernel';
import type {
  Clock,
  HookEvent,
  HookEventType,
  HookObserver,
  InterceptedCall,
  Interceptor,
  InterceptorDecision,
  InvocationResult,
  Logger,
  ResultInterceptor,
  ResultPoint,
  RunEventOf,
  ToolInterceptor,
} from '@ravi/kernel';
import { deepFreeze, errorText } from '@ravi/support';
import { Subscribers } from './subscribers.ts';

/** Options of a {@link HookManager}. */
export interface HookManagerOptions {
  /** Time limit of one observer or interceptor; 5 000 ms by default. */
  readonly timeLimitMs?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const actions: ReadonlySet<unknown> = new Set<InterceptorDecision['action']>(['continue', 'modify', 'deny']);

type PointMember = Exclude<keyof Interceptor, 'beforeTool' | 'observers'>;

const membersOfPoints: Readonly<Record<ResultPoint, PointMember>> = {
  'after-tool': 'afterTool',
  'tool-error': 'toolError',
  'permission-denied': 'permissionDenied',
  'budget-exceeded': 'budgetExceeded',
  'tools-disabled': 'toolsDisabled',
};

type NestedType = {
  [Type in HookEventType]: Required<RunEventOf<Type>>[keyof RunEventOf<Type>] extends string | number | boolean
    ? never
    : Type;
}[HookEventType];

/** Types of events that hold objects which are not frozen when they are reported. The attempts of a call are. */
const nestedTypes: Readonly<Record<Exclude<NestedType, 'tool-result'>, true>> = {
  'tool-retry': true,
  'run-paused': true,
  'run-end': true,
  'step-end': true,
  'model-end': true,
  'model-lent': true,
  'approval-decided': true,
};

/** Observers, which watch the runtime, and interceptors, which may change or deny calls. One per process. */
export class HookManager {
  readonly #observers = new Subscribers<HookEventType, HookObserver<HookEventType>>();
  readonly #interceptors = new Subscribers<'call', ToolInterceptor>();
  readonly #resultInterceptors = new Subscribers<ResultPoint, ResultInterceptor>();
  readonly #timeLimitMs: number;
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor(options: HookManagerOptions = {}) {
    this.#timeLimitMs = options.timeLimitMs ?? 5_000;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
  }

  /** Calls `observer` with every event of this type, frozen. Returns the function that removes it. */
  observe<Type extends HookEventType>(type: Type, observer: HookObserver<Type>): () => void {
    return this.#observers.add(type, observer as HookObserver<HookEventType>);
  }

  /** Lets `interceptor` change or deny calls; it sees the arguments that will run. Returns the function that removes it. */
  intercept(interceptor: ToolInterceptor): () => void {
    return this.#interceptors.add('call', interceptor);
  }

  /** Lets `interceptor` replace results at `point`. Returns the function that removes it. */
  interceptResult(point: ResultPoint, interceptor: ResultInterceptor): () => void {
    return this.#resultInterceptors.add(point, interceptor);
  }

  /** Adds every member of an interceptor that a plugin made. Returns the function that removes them. */
  use(interceptor: Interceptor): () => void {
    const removals: (() => void)[] = [];
    if (interceptor.beforeTool !== undefined) removals.push(this.intercept(interceptor.beforeTool.bind(interceptor)));
    for (const [point, member] of Object.entries(membersOfPoints) as [ResultPoint, PointMember][]) {
      const replace = interceptor[member]?.bind(interceptor);
      if (replace !== undefined) removals.push(this.interceptResult(point, replace));
    }
    for (const [type, observer] of Object.entries(interceptor.observers ?? {})) {
      removals.push(this.#observers.add(type as HookEventType, observer as HookObserver<HookEventType>));
    }
    return () => removals.forEach((remove) => remove());
  }

  /** True if there are interceptors of calls: lets the invoker skip the work otherwise. */
  get intercepts(): boolean {
    return this.#interceptors.of('call').length > 0;
  }

  /** True if events of this type have observers: lets the invoker skip building one otherwise. */
  observes(type: HookEventType): boolean {
    return this.#observers.of(type).length > 0;
  }

  /**
   * Notifies the observers. A flat event is frozen and belongs to them; one that holds objects is copied first. Never
   * throws and never waits: an observer that fails or is slow is logged and affects no other.
   */
  emit(event: HookEvent): void {
    const observers = this.#observers.of(event.type);
    if (observers.length === 0) return;
    // A flat event is not copied or walked: that happened twice per call and took half of its time.
    const shown = event.type in nestedTypes ? deepFreeze({ ...event }) : event;
    Object.freeze(shown);
    for (const observer of observers) this.#notify(observer, shown);
  }

  /**
   * Interceptors of calls, in the order in which they were added. Each decision is valid: an interceptor that fails or exceeds
   * its time limit denies.
   */
  get interceptors(): readonly ((call: InterceptedCall) => Promise<InterceptorDecision>)[] {
    return this.#interceptors.of('call').map((interceptor) => (call) => this.#ask(interceptor, call));
  }

  /** Returns the result after every interceptor at `point`; a denied call stays denied. */
  async finish(point: ResultPoint, call: InterceptedCall, result: InvocationResult): Promise<InvocationResult> {
    const frozenCall = deepFreeze({ ...call });
    let current = deepFreeze(result);
    for (const interceptor of this.#resultInterceptors.of(point)) {
      const replaced = await this.#replace(interceptor, point, frozenCall, current);
      if (replaced !== undefined)
        current = deepFreeze(result.status === 'denied' ? denied(replaced, result) : replaced);
    }
    return current;
  }

  /** True if there are interceptors of results at `point`. */
  finishes(point: ResultPoint): boolean {
    return this.#resultInterceptors.of(point).length > 0;
  }

  #notify(observer: (event: HookEvent) => unknown, event: HookEvent): void {
    const { type } = event;
    const fail = (error: unknown): void =>
      this.#logger.warn('hook observer failed', { event: type, error: errorText(error) });
    try {
      const watching = observer(event);
      if (isThenable(watching)) void this.#limited(`observer of ${type}`, () => watching).catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  async #ask(interceptor: ToolInterceptor, call: InterceptedCall): Promise<InterceptorDecision> {
    try {
      const decision = await this.#limited('interceptor', () => interceptor(deepFreeze({ ...call })));
      if (!actions.has(decision.action)) throw new TypeError('An interceptor returned no decision');
      return decision;
    } catch (error) {
      this.#logger.error('interceptor failed: the call is denied', { tool: call.tool, error: errorText(error) });
      return { action: 'deny', reason: 'An interceptor failed' };
    }
  }

  async #replace(
    interceptor: ResultInterceptor,
    point: ResultPoint,
    call: InterceptedCall,
    result: InvocationResult,
  ): Promise<InvocationResult | undefined> {
    try {
      const replaced: unknown = await this.#limited(point, () => interceptor(call, result));
      if (replaced === undefined) return undefined;
      if (!isInvocationResult(replaced)) throw new TypeError('A result interceptor returned no result');
      return { ...replaced };
    } catch (error) {
      this.#logger.error('result interceptor failed', { point, tool: call.tool, error: errorText(error) });
      return undefined;
    }
  }

  async #limited<Value>(what: string, body: () => Value | PromiseLike<Value>): Promise<Value> {
    return withTimeLimit({ what, limitMs: this.#timeLimitMs, clock: this.#clock }, body);
  }
}

function denied(replaced: InvocationResult, original: InvocationResult): InvocationResult {
  const error = replaced.error ?? original.error;
  return { ...replaced, status: 'denied', ...(error === undefined ? {} : { error }) };
}

const statuses: ReadonlySet<unknown> = new Set<InvocationResult['status']>(['ok', 'error', 'denied']);

/** True if a value has the shape of an {@link InvocationResult}; a failure must have an error. */
export function isInvocationResult(value: unknown): value is InvocationResult {
  if (typeof value !== 'object' || value === null) return false;
  const { status, text, files, error } = value as Partial<Record<keyof InvocationResult, unknown>>;
  if (!statuses.has(status) || typeof text !== 'string' || !Array.isArray(files)) return false;
  return status === 'ok' || isError(error);
}

function isError(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, retryable } = error as Readonly<Record<string, unknown>>;
  return typeof code === 'string' && typeof message === 'string' && typeof retryable === 'boolean';
}

// Returns the value of `body`, or rejects after `limitMs` milliseconds; a synchronous body needs no timer.
async function withTimeLimit<Value>(
  options: { readonly what: string; readonly limitMs: number; readonly clock: Clock },
  body: () => Value | PromiseLike<Value>,
): Promise<Value> {
  const started = body();
  if (!isThenable(started)) return started;
  return new Promise((resolve, reject) => {
    const timer = options.clock.setTimer(
      () => reject(new Error(`${options.what} took longer than ${options.limitMs} ms`)),
      options.limitMs,
    );
    const settle =
      <Outcome>(done: (outcome: Outcome) => void) =>
      (outcome: Outcome) => {
        timer.cancel();
        done(outcome);
      };
    Promise.resolve(started).then(settle(resolve), settle(reject));
  });
}

// True if a value can be awaited: a thenable that is not a `Promise` may take forever too.
function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof value === 'object' && value !== null && 'then' in value;
}
