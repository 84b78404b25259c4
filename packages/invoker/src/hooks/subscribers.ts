import { emptyArray } from '@ravi/support';

interface Subscription<Subscriber> {
  readonly subscriber: Subscriber;
}

/** Subscribers by key. A list that was returned never changes: later additions and removals are in the next one. */
export class Subscribers<Key, Subscriber> {
  readonly #subscriptions = new Map<Key, readonly Subscription<Subscriber>[]>();
  readonly #lists = new Map<Key, readonly Subscriber[]>();

  /** Adds a subscriber, even if it is there already. Returns the idempotent function that removes this addition. */
  add(key: Key, subscriber: Subscriber): () => void {
    const own: Subscription<Subscriber> = { subscriber };
    this.#set(key, [...(this.#subscriptions.get(key) ?? []), own]);
    return () =>
      this.#set(
        key,
        (this.#subscriptions.get(key) ?? []).filter((each) => each !== own),
      );
  }

  /** Returns the subscribers of a key in the order in which they were added. */
  of(key: Key): readonly Subscriber[] {
    return this.#lists.get(key) ?? emptyArray;
  }

  #set(key: Key, subscriptions: readonly Subscription<Subscriber>[]): void {
    this.#subscriptions.set(key, subscriptions);
    this.#lists.set(
      key,
      subscriptions.map((each) => each.subscriber),
    );
  }
}
