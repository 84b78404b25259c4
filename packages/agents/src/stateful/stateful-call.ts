import { encodeStructured } from '@ravi/invoker/internal';
import { KernelError } from '@ravi/kernel';
import type { JsonObject, JsonValue, ToolContext } from '@ravi/kernel';
import { errorText, isSecretKey, randomId, cutUtf8 } from '@ravi/support';
import { redacted } from '@ravi/invoker';
import { callViewOf, shareContext } from './share-context.ts';
import type { CallView } from './share-context.ts';

/** Generator of a stateful tool. */
export type StatefulSteps = AsyncGenerator<JsonValue, JsonValue | undefined, JsonValue>;

/** Options of a {@link StatefulCall}. */
export interface StatefulCallOptions {
  readonly tool: string;
  /** Arguments of the first call, before a schema library transforms them. */
  readonly args: JsonObject;
  /** Context of the first call. */
  readonly context: ToolContext;
  /** Called when the generator has ended, cleanup included. */
  readonly onEnd: (call: StatefulCall) => void;
}

/**
 * A generator that runs over several tool calls: it yields an intermediate result, and the next call of the model replies.
 * It ends with its last value, with an exception, when it is stopped, when its session ends, and when one of its calls is
 * cancelled or times out, because that result would reach no one. A generator that is working is notified by its signal and
 * returned at its next `yield`.
 */
export class StatefulCall {
  readonly id: string;
  /** Arguments of the first call. */
  readonly args: JsonObject;
  readonly #tool: string;
  readonly #context: ToolContext;
  readonly #onEnd: (call: StatefulCall) => void;
  readonly #controller = new AbortController();
  #call: CallView;
  #steps: StatefulSteps | undefined;
  #isWorking = false;
  /** Number of intermediate results so far. */
  #yielded = 0;
  /** By the arguments of a call: number of intermediate results when its risk was classified. */
  readonly #expected = new WeakMap<JsonObject, number>();
  #lastShown = 'nothing';
  /** Set once the generator is being returned. */
  #ending: Promise<void> | undefined;
  /** Result of a generator that ended on its own. */
  #outcome: JsonValue | undefined;

  constructor({ tool, args, context, onEnd }: StatefulCallOptions) {
    this.id = randomId(tool);
    this.args = args;
    this.#tool = tool;
    this.#onEnd = onEnd;
    this.#call = callViewOf(context);
    this.#context = shareContext(context, this);
  }

  /** The current call, or the last one. */
  get call(): CallView {
    return this.#call;
  }

  /** Aborted when no call can follow. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Last yielded value as text for an approver. */
  get lastShown(): string {
    return this.#lastShown;
  }

  /** Creates the generator and runs it to its first intermediate result. @throws TypeError if `begin` returns no generator */
  async start(begin: (context: ToolContext) => StatefulSteps): Promise<JsonValue> {
    try {
      const steps: unknown = begin(this.#context);
      if (!isGenerator(steps)) throw new TypeError(`execute of ${this.#tool} must be an async generator function`);
      this.#steps = steps;
    } catch (error) {
      this.#onEnd(this);
      throw error;
    }
    return this.#advance(null);
  }

  /** Records that a call with these arguments replies to the current intermediate result, even if it waits for an approval or a lock first. */
  expectReply(args: JsonObject): void {
    this.#expected.set(args, this.#yielded);
  }

  /**
   * Replies to the last intermediate result with the `input` of a call and runs to the next one.
   * @throws KernelError `E_STATE_CONFLICT` if that result already has a reply, and while the generator works or ends
   */
  continue(args: JsonObject, context: ToolContext): Promise<JsonValue> {
    if (this.#ending !== undefined) return this.#refuse(`${this.id} has ended and accepts no reply`);
    if (this.#isWorking) return this.#refuse(`${this.id} is still working: wait for its result and reply to that`);
    if ((this.#expected.get(args) ?? this.#yielded) < this.#yielded) {
      return this.#refuse(`${this.id} has received another reply in the meantime: reply to its last result`);
    }
    this.#call = callViewOf(context);
    return this.#advance(args['input'] ?? null);
  }

  /** Ends the generator and waits for it. Returns its own result if it ended on its own in the meantime. */
  async stop(context: ToolContext): Promise<JsonValue> {
    if (!this.#isWorking) this.#call = callViewOf(context);
    await this.end(new KernelError('E_CANCELLED', `${this.id} was stopped`));
    return this.#outcome ?? this.#stopped;
  }

  /** Aborts the signal and returns the generator after its current part. Idempotent. @throws what the generator throws at its end */
  end(reason: KernelError): Promise<void> {
    if (this.#ending === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#ending = promise;
      // Some callers do not wait for the end.
      promise.catch(() => {});
      this.#controller.abort(reason);
      resolve(this.#return());
    }
    return this.#ending;
  }

  async #return(): Promise<void> {
    try {
      await this.#steps?.return(undefined);
    } catch (error) {
      this.#context.log.warn('a stateful tool failed while it was stopped', {
        tool: this.#tool,
        error: errorText(error),
      });
      throw error;
    } finally {
      this.#onEnd(this);
    }
  }

  #refuse(message: string): Promise<never> {
    return Promise.reject(new KernelError('E_STATE_CONFLICT', message));
  }

  get #stopped(): JsonValue {
    return { id: this.id, status: 'stopped' };
  }

  async #advance(input: JsonValue): Promise<JsonValue> {
    const { signal } = this.#call;
    const onAbort = (): void => void this.end(signal.reason as KernelError);
    this.#isWorking = true;
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const result = this.#resultOf(await (this.#steps as StatefulSteps).next(input));
      // Cleanup belongs to the call that holds the locks.
      await this.#ending?.catch(() => {});
      return result;
    } catch (error) {
      await this.end(new KernelError('E_TOOL_FAILED', `${this.#tool} failed`, { cause: error })).catch(() => {});
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#isWorking = false;
    }
  }

  #resultOf({ done, value }: IteratorResult<JsonValue, JsonValue | undefined>): JsonValue {
    if (done === true) {
      this.#onEnd(this);
      return (this.#outcome = { id: this.id, status: 'done', value: value ?? null });
    }
    if (this.#ending !== undefined) return this.#stopped;
    this.#yielded++;
    const json = jsonOf(value ?? null);
    if (json !== undefined) this.#lastShown = summarizeValue(JSON.parse(json) as JsonValue);
    // The invoker's error tells the model what is wrong, but not the id that a reply would need.
    else void this.end(new KernelError('E_TOOL_FAILED', `${this.#tool} yielded a value that is not JSON`));
    return { id: this.id, status: 'waiting', value: value ?? null };
  }
}

function isGenerator(value: unknown): value is StatefulSteps {
  const { next, return: end } = (value ?? {}) as Partial<StatefulSteps>;
  return typeof next === 'function' && typeof end === 'function';
}

function jsonOf(value: JsonValue): string | undefined {
  try {
    return encodeStructured(value);
  } catch {
    return undefined;
  }
}

const maxTextCharacters = 200;
const maxShownBytes = 2_000;

/** Returns a value as text for an approver: secrets hidden, long strings cut so that every property stays visible. */
export function summarizeValue(value: JsonValue): string {
  const text = JSON.stringify(shorten(value));
  const cut = cutUtf8(text, maxShownBytes);
  return cut === text ? text : `${cut}…`;
}

// Artifact references in the arguments of a start are already replaced, by bytes and streams too.
function shorten(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length > maxTextCharacters ? `${value.slice(0, maxTextCharacters)}…` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return `${value.byteLength} bytes`;
  if (Array.isArray(value)) return value.map(shorten);
  const entries = Object.entries(value).map(([key, child]) => [key, isSecretKey(key) ? redacted : shorten(child)]);
  return Object.fromEntries(entries);
}
