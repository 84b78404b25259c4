import type { Skill } from '@ravi/kernel';
import type { InvokerSession } from '../invoke/session.ts';
import { none } from '../none.ts';

/** The skills of one run: which there are, and which are active and narrow its session to their tools. */
export class ActiveSkills {
  readonly #known: readonly Skill[];
  readonly #session: InvokerSession;
  readonly #loopTools: readonly string[];
  #active: ReadonlyMap<Skill, () => void> = new Map();
  #list: readonly Skill[] = none;

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

  find(name: string): Skill | undefined {
    return this.#known.find((skill) => skill.name === name);
  }

  /**
   * Its instructions join the system prompt, and with `allowedTools` only those tools and the loop's own may be called
   * until it is given up. Several active skills allow what each of them allows.
   */
  activate(skill: Skill): void {
    if (this.#active.has(skill)) return;
    const widen =
      skill.allowedTools === undefined ? nothing : this.#session.narrow([...skill.allowedTools, ...this.#loopTools]);
    this.#set(new Map([...this.#active, [skill, widen]]));
  }

  /** `false` when it is not active. */
  deactivate(skill: Skill): boolean {
    const widen = this.#active.get(skill);
    if (widen === undefined) return false;
    widen();
    this.#set(new Map([...this.#active].filter(([active]) => active !== skill)));
    return true;
  }

  #set(active: ReadonlyMap<Skill, () => void>): void {
    this.#active = active;
    this.#list = [...active.keys()];
  }

  /** Names the skills of a paused run active again; what they allowed then is restored from elsewhere. */
  restore(names: readonly string[]): void {
    for (const name of names) {
      const skill = this.find(name);
      if (skill !== undefined) this.activate(skill);
    }
  }
}

function nothing(): void {}
