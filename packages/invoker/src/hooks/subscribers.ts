import { emptyArray } from '@ravi/support';

interface Subscription<Subscriber> {
  readonly subscriber: Subscriber;
}

/** Who listens to what. A list never changes once it was handed out: who comes or goes meanwhile counts next time. */
export class Subscribers<Key, Subscriber> {
  readonly #subscriptions = new Map<Key, readonly Subscription<Subscriber>[]>();
  readonly #lists = new Map<Key, readonly Subscriber[]>();

  /** Adds one more, even if it is there already. Returns how to take this one out; idempotent. */
  add(key: Key, subscriber: Subscriber): () => void {
    const own: Subscription<Subscriber> = { subscriber };
    this.#set(key, [...(this.#subscriptions.get(key) ?? []), own]);
    return () =>
      this.#set(
        key,
        (this.#subscriptions.get(key) ?? []).filter((each) => each !== own),
      );
  }

  /** In the order they came. */
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
