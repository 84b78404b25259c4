import type { Conversation } from './conversation.ts';

/** The ids of the calls of one answer, for who follows it: the same from the first event of a call to its block and after. */
export class CallIds {
  readonly #conversation: Conversation;
  /** Claimed for calls whose blocks are not there yet, by the ids that the model gave them, oldest first. */
  readonly #announced = new Map<string, string[]>();

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** Claims an id for a call that the model begins to write. */
  announce(id: string): string {
    const claimed = this.#conversation.claimId(id);
    const announced = this.#announced.get(id);
    if (announced === undefined) this.#announced.set(id, [claimed]);
    else announced.push(claimed);
    return claimed;
  }

  /** The id of the call that is being written. */
  current(id: string): string {
    return this.#announced.get(id)?.at(-1) ?? id;
  }

  /** The id of a call whose block is there, claimed now when nothing announced it. */
  claim(id: string): string {
    return this.#announced.get(id)?.shift() ?? this.#conversation.claimId(id);
  }
}
