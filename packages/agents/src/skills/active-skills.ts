import type { AllowList, InvokerSession } from '@ravi/invoker';
import type { Skill } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';

/** Tool restriction of an active skill: only these tools may be called; JSON. */
export interface SkillBound {
  readonly skill: string;
  readonly tools: readonly string[];
}

interface Narrowing {
  readonly list: ReadonlySet<string>;
  widen(): void;
}

/** Skills of one run. Active skills restrict its session to their tools. */
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

  /** Active skills in the order of activation; the same array until it changes. */
  get active(): readonly Skill[] {
    return this.#list;
  }

  get activeNames(): readonly string[] {
    return this.active.map((skill) => skill.name);
  }

  /** Tool restrictions of the active skills. */
  get bounds(): readonly SkillBound[] {
    return [...this.#active].flatMap(([{ name: skill }, narrowings]) =>
      narrowings.map(({ list }) => ({ skill, tools: [...list] })),
    );
  }

  /** Allow-lists of the session that active skills have added. */
  get lists(): ReadonlySet<AllowList> {
    return new Set([...this.#active.values()].flat().map(({ list }) => list));
  }

  find(name: string): Skill | undefined {
    return this.#known.find((skill) => skill.name === name);
  }

  /**
   * Activates a skill: its instructions are added to the system prompt. With `allowedTools`, only those tools and the
   * loop's own may be called until it is deactivated. With several active skills, each must allow a tool.
   */
  activate(skill: Skill): void {
    this.#activate(skill, emptyArray);
  }

  /** Deactivates a skill. Returns `false` if it is not active. */
  deactivate(skill: Skill): boolean {
    const narrowings = this.#active.get(skill);
    if (narrowings === undefined) return false;
    for (const { widen } of narrowings) widen();
    this.#set(new Map([...this.#active].filter(([active]) => active !== skill)));
    return true;
  }

  /**
   * Activates the skills of a resumed or recovered run again. Their earlier restrictions apply in addition to the current
   * ones until the skill is deactivated, and permanently if a skill no longer exists.
   */
  restore(names: readonly string[], bounds: readonly SkillBound[]): void {
    for (const name of names) {
      const before = bounds.filter((bound) => bound.skill === name).map(({ tools }) => tools);
      const skill = this.find(name);
      if (skill !== undefined) this.#activate(skill, before);
      else for (const tools of before) this.#session.narrow(tools, { ofAgent: true });
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
    return { list, widen: this.#session.narrow(list, { ofAgent: true }) };
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
