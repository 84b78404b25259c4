import { sessionOf } from '@ravi/invoker';
import type { InvokerSession } from '@ravi/invoker';
import { KernelError } from '@ravi/kernel';
import type { JsonObject, JsonValue, ToolContext } from '@ravi/kernel';
import { StatefulCall } from './stateful-call.ts';

/** Per session: each call holds the state of its generator, and a model may forget to end them. */
const maxOpen = 100;

/** Open calls of one stateful tool. Each belongs to one session and ends with it at the latest. */
export class StatefulCallRegistry {
  readonly #tool: string;
  readonly #byId = new Map<string, StatefulCall>();
  readonly #bySession = new WeakMap<InvokerSession, Map<string, StatefulCall>>();

  constructor(tool: string) {
    this.#tool = tool;
  }

  /** Finds a call by id in any session. Only for risk classification, which has no session. */
  get(id: JsonValue | undefined): StatefulCall | undefined {
    return typeof id === 'string' ? this.#byId.get(id) : undefined;
  }

  /**
   * Opens a call in the session of `context`.
   * @throws KernelError `E_CANCELLED` if the context is cancelled, `E_BUDGET_EXHAUSTED` if too many calls are open
   */
  open(args: JsonObject, context: ToolContext): StatefulCall {
    context.check();
    const calls = this.#callsOf(context);
    if (calls.size >= maxOpen) throw this.#tooMany();
    const onEnd = ({ id }: StatefulCall): void => {
      calls.delete(id);
      this.#byId.delete(id);
    };
    const call = new StatefulCall({ tool: this.#tool, args, context, onEnd });
    calls.set(call.id, call);
    this.#byId.set(call.id, call);
    return call;
  }

  /** Returns an open call of the session of `context`. @throws KernelError `E_ARGUMENTS_INVALID` for an unknown id */
  find(id: string, context: ToolContext): StatefulCall {
    const call = this.#callsOf(context).get(id);
    if (call !== undefined) return call;
    throw new KernelError('E_ARGUMENTS_INVALID', `${this.#tool} has no open call with the id ${id}`);
  }

  #tooMany(): KernelError {
    const message = `${this.#tool} already has ${maxOpen} open calls in this session (the maximum); stop one with ${this.#tool}_continue`;
    return new KernelError('E_BUDGET_EXHAUSTED', message);
  }

  #callsOf(context: ToolContext): Map<string, StatefulCall> {
    const session = sessionOf(context);
    if (session !== undefined) return this.#bySession.get(session) ?? this.#openSession(session);
    throw new KernelError('E_TOOL_NOT_CALLABLE', `${this.#tool} needs a session of an invoker`);
  }

  #openSession(session: InvokerSession): Map<string, StatefulCall> {
    const calls = new Map<string, StatefulCall>();
    this.#bySession.set(session, calls);
    const { signal } = session;
    const end = (): void => {
      for (const call of calls.values()) void call.end(signal.reason as KernelError);
    };
    signal.addEventListener('abort', end, { once: true });
    return calls;
  }
}
