import { encodeStructured } from '@ravi/invoker/internal';
import { KernelError } from '@ravi/kernel';
import type { JsonObject, JsonValue, ToolContext } from '@ravi/kernel';
import { errorText, randomId } from '@ravi/support';
import { callViewOf, shareContext } from './dialogue-context.ts';
import type { CallView } from './dialogue-context.ts';
import { shownToHuman } from './dialogue-summary.ts';

/** What a stateful tool does, part by part. */
export type DialogueSteps = AsyncGenerator<JsonValue, JsonValue | undefined, JsonValue>;

/** What a dialogue starts with. */
export interface DialogueParts {
  readonly tool: string;
  /** What the call that starts it runs with, before a schema library makes something else of it. */
  readonly args: JsonObject;
  /** The context of the call that starts it. */
  readonly context: ToolContext;
  /** Called when it is over, its cleaning up included. */
  readonly onEnd: (dialogue: Dialogue) => void;
}

/**
 * A generator and the model that answers what it yields, over several calls. It ends with its last value, with what it
 * throws, when it is stopped, when its session ends, and when a call of it is cancelled or times out: then what it
 * yielded reached nobody. A generator that works is told by its signal and returned at its next `yield`.
 */
export class Dialogue {
  readonly id: string;
  /** What it was started with. */
  readonly args: JsonObject;
  readonly #tool: string;
  readonly #context: ToolContext;
  readonly #onEnd: (dialogue: Dialogue) => void;
  readonly #controller = new AbortController();
  #call: CallView;
  #steps: DialogueSteps | undefined;
  #isWorking = false;
  /** How many of its parts gave an intermediate result. */
  #parts = 0;
  /** By the arguments of a call, how many had when it was judged. */
  readonly #expected = new WeakMap<JsonObject, number>();
  #lastShown = 'nothing';
  /** Its generator is being returned, or was. */
  #ending: Promise<void> | undefined;
  /** What its generator came to by itself. */
  #outcome: JsonValue | undefined;

  constructor({ tool, args, context, onEnd }: DialogueParts) {
    this.id = randomId(tool);
    this.args = args;
    this.#tool = tool;
    this.#onEnd = onEnd;
    this.#call = callViewOf(context);
    this.#context = shareContext(context, this);
  }

  /** The call that is worked on, or was last. */
  get call(): CallView {
    return this.#call;
  }

  /** Aborted when nobody will go on any more. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What its generator yielded last, for a human. */
  get lastShown(): string {
    return this.#lastShown;
  }

  /** Takes the generator and works until its first intermediate result. @throws TypeError when it is none */
  async start(begin: (context: ToolContext) => DialogueSteps): Promise<JsonValue> {
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

  /** Notes that a call with these arguments answers what was yielded last by now, however long it waits for a human or a lock. */
  expectAnswer(args: JsonObject): void {
    this.#expected.set(args, this.#parts);
  }

  /**
   * Answers the last intermediate result with the `input` of a call and works until the next one.
   * @throws KernelError `E_STATE_CONFLICT` when that was answered meanwhile, and while it works or is being ended
   */
  goOn(args: JsonObject, context: ToolContext): Promise<JsonValue> {
    if (this.#ending !== undefined) return this.#refuse(`${this.id} has been ended and takes no answer any more`);
    if (this.#isWorking) return this.#refuse(`${this.id} is worked on: wait for the result and answer that`);
    if ((this.#expected.get(args) ?? this.#parts) < this.#parts) {
      return this.#refuse(`${this.id} was answered meanwhile: answer its last result`);
    }
    this.#call = callViewOf(context);
    return this.#advance(args['input'] ?? null);
  }

  /** Ends it, and is done when its generator is. What that came to by itself meanwhile is the answer. */
  async stop(context: ToolContext): Promise<JsonValue> {
    if (!this.#isWorking) this.#call = callViewOf(context);
    await this.end(new KernelError('E_CANCELLED', `${this.id} was stopped`));
    return this.#outcome ?? this.#stopped;
  }

  /** Aborts its signal and returns its generator, behind the part that it works on. Idempotent. @throws what the generator throws at its end */
  end(reason: KernelError): Promise<void> {
    if (this.#ending === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#ending = promise;
      // Not everybody who ends it waits for it.
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
      this.#context.log.warn('a stateful tool failed at its end', { tool: this.#tool, error: errorText(error) });
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
      const answer = this.#read(await (this.#steps as DialogueSteps).next(input));
      // Its cleaning up belongs to the call whose locks it holds.
      await this.#ending?.catch(() => {});
      return answer;
    } catch (error) {
      await this.end(new KernelError('E_TOOL_FAILED', `${this.#tool} failed`, { cause: error })).catch(() => {});
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#isWorking = false;
    }
  }

  #read({ done, value }: IteratorResult<JsonValue, JsonValue | undefined>): JsonValue {
    if (done === true) {
      this.#onEnd(this);
      return (this.#outcome = { id: this.id, status: 'done', value: value ?? null });
    }
    if (this.#ending !== undefined) return this.#stopped;
    this.#parts++;
    const json = jsonOf(value ?? null);
    if (json !== undefined) this.#lastShown = shownToHuman(JSON.parse(json) as JsonValue);
    // The invoker tells the model what is wrong with it, and not the id by which it could go on.
    else void this.end(new KernelError('E_TOOL_FAILED', `${this.#tool} yielded what is not JSON`));
    return { id: this.id, status: 'waiting', value: value ?? null };
  }
}

function isGenerator(value: unknown): value is DialogueSteps {
  const { next, return: end } = (value ?? {}) as Partial<DialogueSteps>;
  return typeof next === 'function' && typeof end === 'function';
}

function jsonOf(value: JsonValue): string | undefined {
  try {
    return encodeStructured(value);
  } catch {
    return undefined;
  }
}
