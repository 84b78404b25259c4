import type { Skill } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';

/** Options that narrow which tools a session may call. */
export interface AllowListOptions {
  readonly allowedTools?: readonly string[];
  readonly skills?: readonly Skill[];
}

type Lists = readonly ReadonlySet<string>[];

/**
 * Allow-lists of a session; a tool is allowed if every list names it. Those of the parent are read at each call and not
 * copied, so a list that the parent adds or removes later applies to scripts and sub-agents that are already running.
 */
export class AllowLists {
  readonly #parent: AllowLists | undefined;
  #own: Lists;
  /** Lists of the parent when `#all` was built. */
  #inherited: Lists = emptyArray;
  #all: Lists | undefined;

  constructor({ allowedTools, skills = emptyArray }: AllowListOptions, parent: AllowLists | undefined) {
    const own = [allowedTools, ...skills.map((skill) => skill.allowedTools)].filter((list) => list !== undefined);
    this.#own = own.length === 0 ? emptyArray : own.map((list) => new Set(list));
    this.#parent = parent;
  }

  /** All lists, those of the parent first; the same array until one is added or removed. */
  get all(): Lists {
    const inherited = this.#parent?.all ?? emptyArray;
    if (this.#own.length === 0) return inherited;
    if (this.#all === undefined || inherited !== this.#inherited) {
      this.#inherited = inherited;
      this.#all = [...inherited, ...this.#own];
    }
    return this.#all;
  }

  /** True if every list names the tool. */
  allows(tool: string): boolean {
    for (const list of this.#own) if (!list.has(tool)) return false;
    return this.#parent === undefined || this.#parent.allows(tool);
  }

  /** Adds a list, until the returned function is called. */
  add(list: ReadonlySet<string>): () => void {
    this.#set([...this.#own, list]);
    return () => this.#set(this.#own.filter((each) => each !== list));
  }

  #set(own: Lists): void {
    this.#own = own;
    this.#all = undefined;
  }
}
