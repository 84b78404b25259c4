import { createToolRules } from '@ravi/invoker';
import type { RuledRegistry, ToolRules } from '@ravi/invoker';
import type { AnyTool, Kit, KitNeed, ToolSkill } from '@ravi/kernel';
import { kitSection, toolSkillSection } from './guide-text.ts';

/** Tools of a kit that may be called, by its needs, or the reason why the model does not see it. */
export type KitState =
  | { readonly isVisible: true; readonly tools: readonly (readonly string[])[] }
  | { readonly isVisible: false; readonly reason: string };

interface NeedRules {
  readonly need: KitNeed;
  readonly rules: ToolRules;
}

/** The kits and tool skills of an agent, compared with the tools of a registry. */
export class ToolGuides {
  readonly #kits: readonly { readonly kit: Kit; readonly needs: readonly NeedRules[] }[];
  readonly #toolSkills: readonly { readonly skill: ToolSkill; readonly rules: ToolRules }[];
  readonly #registry: RuledRegistry;

  /** @throws KernelError `E_CONFIG_INVALID` for a pattern that no name can match */
  constructor(
    { kits = [], toolSkills = [] }: { readonly kits?: readonly Kit[]; readonly toolSkills?: readonly ToolSkill[] },
    registry: RuledRegistry,
  ) {
    this.#registry = registry;
    this.#kits = kits.map((kit) => ({
      kit,
      needs: kit.needs.map((need) => ({ need, rules: createToolRules({ allow: need.any }, registry) })),
    }));
    this.#toolSkills = toolSkills.map((skill) => ({
      skill,
      rules: createToolRules({ allow: [skill.tool] }, registry),
    }));
  }

  get isEmpty(): boolean {
    return this.#kits.length === 0 && this.#toolSkills.length === 0;
  }

  /** Returns the sections of a system prompt: kits for the tools that may be called, tool skills for those that are declared. */
  sections(callable: readonly AnyTool[], declared: readonly AnyTool[]): readonly string[] {
    if (this.isEmpty) return [];
    const names = namesOf(callable);
    const shown = namesOf(declared);
    const kits = this.#kits.flatMap(({ kit, needs }) => {
      const state = this.#stateOf(needs, (name) => names.has(name));
      return state.isVisible ? [kitSection(kit, state.tools)] : [];
    });
    const skills = this.#toolSkills.flatMap(({ skill, rules }) => {
      const tools = this.#matches(rules).filter((name) => shown.has(name));
      return tools.length === 0 ? [] : [toolSkillSection(skill, tools)];
    });
    return [...kits, ...skills];
  }

  /** Returns the tool skills of one tool as Markdown; empty without one. */
  adviceFor(tool: string): string {
    const found = this.#toolSkills.filter(({ rules }) => rules.has(tool));
    return found.map(({ skill }) => toolSkillSection(skill, [tool])).join('\n\n');
  }

  /** Compares a kit with the tools that `allows` names. */
  stateOf(kit: Kit, allows: (tool: string) => boolean): KitState {
    const found = this.#kits.find((each) => each.kit === kit);
    if (found === undefined) return { isVisible: false, reason: `the kit ${kit.name} is not offered` };
    return this.#stateOf(found.needs, allows);
  }

  /** Returns why the model does not see a tool skill; `undefined` if it may call a tool of it. */
  hiddenReason(skill: ToolSkill, allows: (tool: string) => boolean): string | undefined {
    const { rules } = this.#toolSkills.find((each) => each.skill === skill) ?? {};
    const state = this.#stateOf(rules === undefined ? [] : [{ need: { any: [skill.tool] }, rules }], allows);
    return state.isVisible ? undefined : state.reason;
  }

  #stateOf(needs: readonly NeedRules[], allows: (tool: string) => boolean): KitState {
    const tools: (readonly string[])[] = [];
    for (const { need, rules } of needs) {
      const known = this.#matches(rules);
      const allowed = known.filter(allows);
      if (allowed.length === 0) return { isVisible: false, reason: reasonOf(need, known) };
      tools.push(allowed);
    }
    return { isVisible: true, tools };
  }

  #matches(rules: ToolRules): readonly string[] {
    const all = this.#registry.all();
    // A frozen array, as a Toolbox returns it, has changed only if its identity has.
    if (!Object.isFrozen(all)) return matching(rules, all);
    let known = matchesOf.get(all);
    if (known === undefined) matchesOf.set(all, (known = new Map()));
    const key = JSON.stringify(rules.lists.allow);
    let names = known.get(key);
    if (names === undefined) known.set(key, (names = matching(rules, all)));
    return names;
  }
}

/** Tools of a registry by the patterns that they match. All agents share them, because there can be thousands of tools. */
const matchesOf = new WeakMap<readonly AnyTool[], Map<string, readonly string[]>>();

function matching(rules: ToolRules, all: readonly AnyTool[]): readonly string[] {
  const { allow = [] } = rules.lists;
  // Most tool skills name one tool.
  if (allow.every((pattern) => exactName.test(pattern)))
    return allow.filter((name) => all.some((tool) => tool.name === name));
  return all.map(({ name }) => name).filter((name) => rules.has(name));
}

const exactName = /^[a-zA-Z0-9_.-]+$/;

function reasonOf({ any, purpose }: KitNeed, known: readonly string[]): string {
  if (known.length === 0) return `there is no tool ${purpose === undefined ? any.join(' or ') : `for ${purpose}`}`;
  const shown = known.slice(0, maxShown).join(', ');
  const more = known.length > maxShown ? ` and ${known.length - maxShown} more` : '';
  return `${shown}${more} may not be called${purpose === undefined ? '' : `; the kit needs one for ${purpose}`}`;
}

const maxShown = 5;

function namesOf(tools: readonly AnyTool[]): ReadonlySet<string> {
  return new Set(tools.map(({ name }) => name));
}
