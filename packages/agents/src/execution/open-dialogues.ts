import { sessionOf } from '@ravi/invoker';
import type { InvokerSession } from '@ravi/invoker';
import { KernelError } from '@ravi/kernel';
import type { JsonObject, JsonValue, ToolContext } from '@ravi/kernel';
import { Dialogue } from './dialogue.ts';

/** Per session: each holds what its generator holds, and a model may forget all of them. */
const maxOpen = 100;

/** The dialogues of one tool that are not over, each for its own session alone. They end with it at the latest. */
export class OpenDialogues {
  readonly #tool: string;
  readonly #byId = new Map<string, Dialogue>();
  readonly #bySession = new WeakMap<InvokerSession, Map<string, Dialogue>>();

  constructor(tool: string) {
    this.#tool = tool;
  }

  /** The one with this id, whosever it is: for who judges a call, who knows no session. */
  get(id: JsonValue | undefined): Dialogue | undefined {
    return typeof id === 'string' ? this.#byId.get(id) : undefined;
  }

  /**
   * Opens one for the session of a call, which starts it with `args`.
   * @throws KernelError `E_CANCELLED` when nobody waits for the call any more, `E_BUDGET_EXHAUSTED` when too many are open
   */
  open(args: JsonObject, context: ToolContext): Dialogue {
    context.check();
    const dialogues = this.#of(context);
    if (dialogues.size >= maxOpen) throw this.#tooMany();
    const onEnd = ({ id }: Dialogue): void => {
      dialogues.delete(id);
      this.#byId.delete(id);
    };
    const dialogue = new Dialogue({ tool: this.#tool, args, context, onEnd });
    dialogues.set(dialogue.id, dialogue);
    this.#byId.set(dialogue.id, dialogue);
    return dialogue;
  }

  /** @throws KernelError `E_ARGUMENTS_INVALID` when the session of the call has none with this id */
  find(id: string, context: ToolContext): Dialogue {
    const dialogue = this.#of(context).get(id);
    if (dialogue !== undefined) return dialogue;
    throw new KernelError('E_ARGUMENTS_INVALID', `${this.#tool} has nothing open with the id ${id}`);
  }

  #tooMany(): KernelError {
    const message = `${this.#tool} is open ${maxOpen} times in this session, which is the most: end some with ${this.#tool}_continue`;
    return new KernelError('E_BUDGET_EXHAUSTED', message);
  }

  #of(context: ToolContext): Map<string, Dialogue> {
    const session = sessionOf(context);
    if (session !== undefined) return this.#bySession.get(session) ?? this.#openSession(session);
    throw new KernelError('E_TOOL_NOT_CALLABLE', `${this.#tool} needs a session of an invoker`);
  }

  #openSession(session: InvokerSession): Map<string, Dialogue> {
    const dialogues = new Map<string, Dialogue>();
    this.#bySession.set(session, dialogues);
    const { signal } = session;
    const end = (): void => {
      for (const dialogue of dialogues.values()) void dialogue.end(signal.reason as KernelError);
    };
    signal.addEventListener('abort', end, { once: true });
    return dialogues;
  }
}
