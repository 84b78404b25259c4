import { emptyArray } from '@ravi/support';

/**
 * Items of a session and of its parents. Those of a parent are read when they are needed and not copied, so an item that the
 * parent adds or removes later applies to scripts and sub-agents that are already running.
 */
export class InheritedList<Item> {
  readonly #parent: InheritedList<Item> | undefined;
  #own: readonly Item[];
  /** Items of the parent when `#all` was built. */
  #inherited: readonly Item[] = emptyArray;
  #all: readonly Item[] | undefined;

  constructor(own: readonly Item[], parent: InheritedList<Item> | undefined) {
    this.#own = own;
    this.#parent = parent;
  }

  /** All items, those of the parent first; the same array until one is added or removed. */
  get all(): readonly Item[] {
    const inherited = this.#parent?.all ?? emptyArray;
    if (this.#own.length === 0) return inherited;
    if (this.#all === undefined || inherited !== this.#inherited) {
      this.#inherited = inherited;
      this.#all = [...inherited, ...this.#own];
    }
    return this.#all;
  }

  /** Adds an item, until the returned function is called. */
  add(item: Item): () => void {
    this.#set([...this.#own, item]);
    return () => this.#set(this.#own.filter((each) => each !== item));
  }

  #set(own: readonly Item[]): void {
    this.#own = own;
    this.#all = undefined;
  }
}

/** Items of two lists, those of the first one before the others; the same array until one of them changes. */
export class CombinedList<Item> {
  readonly #first: InheritedList<Item>;
  readonly #second: InheritedList<Item>;
  #parts: readonly (readonly Item[])[] = emptyArray;
  #all: readonly Item[] = emptyArray;

  constructor(first: InheritedList<Item>, second: InheritedList<Item>) {
    this.#first = first;
    this.#second = second;
  }

  get all(): readonly Item[] {
    const first = this.#first.all;
    const second = this.#second.all;
    if (second.length === 0) return first;
    if (first.length === 0) return second;
    if (first !== this.#parts[0] || second !== this.#parts[1]) {
      this.#parts = [first, second];
      this.#all = [...first, ...second];
    }
    return this.#all;
  }
}
