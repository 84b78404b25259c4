import type { Conversation } from '../conversation/conversation.ts';

/** Ids of the calls of one response in events: the same from the first delta of a call to its result. */
export class CallIds {
  readonly #conversation: Conversation;
  /** Ids claimed for calls whose blocks have not arrived, by the id that the model uses, oldest first. */
  readonly #announced = new Map<string, string[]>();

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** Claims an id for a call that the model starts to write. */
  announce(id: string): string {
    const claimed = this.#conversation.claimId(id);
    const announced = this.#announced.get(id);
    if (announced === undefined) this.#announced.set(id, [claimed]);
    else announced.push(claimed);
    return claimed;
  }

  /** Returns the id of the call that is being written. */
  current(id: string): string {
    return this.#announced.get(id)?.at(-1) ?? id;
  }

  /** Returns the id of a call whose block has arrived; claims one if the call was not announced. */
  claim(id: string): string {
    return this.#announced.get(id)?.shift() ?? this.#conversation.claimId(id);
  }
}
