import type { InvokerSession } from '@ravi/invoker';
import type { Skill } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
/** The only tools that may be called while a skill is active; JSON. */
export interface SkillBound {
  readonly skill: string;
  readonly tools: readonly string[];
}

interface Narrowing {
  readonly list: ReadonlySet<string>;
  widen(): void;
}

/** The skills of one run: which there are, and which are active and narrow its session to their tools. */
export class ActiveSkills {
  readonly #known: readonly Skill[];
  readonly #session: InvokerSession;
  readonly #loopTools: readonly string[];
  #active: ReadonlyMap<Skill, readonly Narrowing[]> = new Map();
  #list: readonly Skill[] = emptyArray;

  constructor(known: readonly Skill[], session: InvokerSession, loopTools: readonly string[]) {
    this.#known = known;
    this.#session = session;
    this.#loopTools = loopTools;
  }

  /** In the order of their activation; the same list until it changes. */
  get active(): readonly Skill[] {
    return this.#list;
  }

  get activeNames(): readonly string[] {
    return this.active.map((skill) => skill.name);
  }

  /** What each of them bounds. */
  get bounds(): readonly SkillBound[] {
    return [...this.#active].flatMap(([{ name: skill }, narrowings]) =>
      narrowings.map(({ list }) => ({ skill, tools: [...list] })),
    );
  }

  /** Of the lists of the session those that are theirs. */
  get lists(): ReadonlySet<ReadonlySet<string>> {
    return new Set([...this.#active.values()].flat().map(({ list }) => list));
  }

  find(name: string): Skill | undefined {
    return this.#known.find((skill) => skill.name === name);
  }

  /**
   * Its instructions join the system prompt, and with `allowedTools` only those tools and the loop's own may be called
   * until it is given up. Several active skills allow what each of them allows.
   */
  activate(skill: Skill): void {
    this.#activate(skill, emptyArray);
  }

  /** `false` when it is not active. */
  deactivate(skill: Skill): boolean {
    const narrowings = this.#active.get(skill);
    if (narrowings === undefined) return false;
    for (const { widen } of narrowings) widen();
    this.#set(new Map([...this.#active].filter(([active]) => active !== skill)));
    return true;
  }

  /**
   * Makes the skills of a run that goes on active again. What they bound before holds beside what they bound now, and for
   * good where a skill is not known any more; after a pause it is restored from elsewhere.
   */
  restore(names: readonly string[], bounds: readonly SkillBound[] = emptyArray): void {
    for (const name of names) {
      const before = bounds.filter((bound) => bound.skill === name).map(({ tools }) => tools);
      const skill = this.find(name);
      if (skill !== undefined) this.#activate(skill, before);
      else for (const tools of before) this.#session.narrow(tools);
    }
  }

  #activate(skill: Skill, before: readonly (readonly string[])[]): void {
    if (this.#active.has(skill)) return;
    const { allowedTools } = skill;
    const own = allowedTools === undefined ? emptyArray : [new Set([...allowedTools, ...this.#loopTools])];
    const others = before.filter((list) => !own.some((set) => isSameList(set, list)));
    const lists = [...own, ...others.map((list) => new Set(list))];
    this.#set(new Map([...this.#active, [skill, lists.map((list) => this.#narrow(list))]]));
  }

  #narrow(list: ReadonlySet<string>): Narrowing {
    return { list, widen: this.#session.narrow(list) };
  }

  #set(active: ReadonlyMap<Skill, readonly Narrowing[]>): void {
    this.#active = active;
    this.#list = [...active.keys()];
  }
}

/** True if both name the same tools. */
export function isSameList(held: ReadonlySet<string>, list: readonly string[]): boolean {
  return held.size === list.length && list.every((tool) => held.has(tool));
}
