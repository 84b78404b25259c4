import { isLocalTool, KernelError } from '@ravi/kernel';
import type { InvocationResult, JsonObject, ToolContext, ToolRun } from '@ravi/kernel';
import { recordOuter } from './gates/journal.ts';
import type { PendingCall } from './pending-call.ts';

/** Parts of a running call that its actions need. */
export interface RunningCall {
  readonly pending: PendingCall;
  readonly context: Pick<ToolContext, 'check' | 'elicit' | 'signal'>;
  /** Stops the time limit of the call. The returned function continues it. */
  pauseLimit(): () => void;
}

/** Actions of one running tool in its run. Each method is independent of its object. */
export class CallRun implements ToolRun {
  readonly #call: RunningCall;
  #spawned: Map<string, Promise<InvocationResult>> | undefined;
  #ids = 0;

  constructor(call: RunningCall) {
    this.#call = call;
  }

  get tool(): ToolRun['tool'] {
    return async (name, args) => this.#invoke(name, args, this.#nextId());
  }

  get spawn(): ToolRun['spawn'] {
    return (name, args) => {
      const id = this.#nextId();
      const result = this.#invoke(name, args, id);
      result.catch(() => {}); // a call that its tool does not join may be cancelled
      this.#spawned ??= new Map();
      this.#spawned.set(id, result);
      return id;
    };
  }

  get join(): ToolRun['join'] {
    return async (id) => {
      const result = this.#spawned?.get(id);
      if (result === undefined) throw new KernelError('E_STATE_INVALID', `This call has started no call ${id}`);
      return result;
    };
  }

  get ask(): ToolRun['ask'] {
    return async (question, { choices } = {}) => {
      const answer = { type: 'string', ...(choices === undefined ? {} : { enum: [...choices] }) };
      const schema = { type: 'object', properties: { answer }, required: ['answer'] };
      const result = await this.#call.context.elicit({ mode: 'form', message: question, schema });
      const text = result.action === 'accept' ? result.content?.['answer'] : undefined;
      return typeof text === 'string' ? text : undefined;
    };
  }

  get llm(): ToolRun['llm'] {
    return async (request) => {
      const { pending, context } = this.#call;
      this.#checkMayAct();
      const { services } = pending.session;
      if (services !== undefined) return services.askModel(request, context.signal);
      throw new KernelError('E_UNSUPPORTED', `${pending.name} asked a model, but no agent makes this call`);
    };
  }

  get compact(): ToolRun['compact'] {
    return () => {
      const { pending, context } = this.#call;
      context.check();
      const { services } = pending.session;
      if (services !== undefined) return services.compact();
      throw new KernelError('E_UNSUPPORTED', `${pending.name} marked a conversation, but no agent makes this call`);
    };
  }

  get now(): ToolRun['now'] {
    return () => this.#call.pending.runtime.clock.now();
  }

  get uuid(): ToolRun['uuid'] {
    return () => {
      const { pending } = this.#call;
      return uuidOf(pending.runtime.digest(`uuid ${pending.idempotencyKey} ${++this.#ids}`));
    };
  }

  /** Begins another attempt of the call, which gets the same ids. */
  restart(): void {
    this.#ids = 0;
  }

  #nextId(): string {
    this.#checkMayAct();
    const { pending } = this.#call;
    return pending.session.nextCallId(pending.callId);
  }

  // A safe tool may start before the response that calls it is complete, and what it starts may not be safe.
  #checkMayAct(): void {
    const { pending, context } = this.#call;
    context.check();
    const { tool, name } = pending;
    if (isLocalTool(tool) && tool.risk === 'safe' && tool.runAfterResponse !== true) {
      throw new KernelError(
        'E_TOOL_INVALID',
        `The tool ${name} must declare runAfterResponse to make calls of its own`,
      );
    }
    pending.hasInnerCalls = true;
  }

  async #invoke(name: string, args: JsonObject, callId: string): Promise<InvocationResult> {
    const { pending, context } = this.#call;
    const { session, runtime, caller, callId: parentId } = pending;
    const resume = this.#call.pauseLimit();
    try {
      const { signal } = context;
      const options = { session, caller, parentId, signal, isInnerCall: true, recordOuter: () => recordOuter(pending) };
      return await runtime.invoke({ name, args, callId }, options);
    } finally {
      resume();
    }
  }
}

// Version 8 of RFC 9562: the other bits are the application's own.
function uuidOf(digest: string): string {
  const hex = digest.slice(digest.lastIndexOf(':') + 1).padEnd(32, '0');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) % 4) + 8).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}
