import { isLocalTool } from '@ravi/kernel';
import type { AnyTool, Skill } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { ActiveSkills } from '../skills/active-skills.ts';
import type { OfferedTools } from './offered-tools.ts';

/** Parts of a run that its system prompt consists of. */
export interface PromptSource {
  readonly definition: Pick<AgentDefinition, 'system' | 'skills' | 'imposedSkills' | 'guides'>;
  readonly offered: OfferedTools;
  readonly skills: ActiveSkills;
}

/**
 * System prompt of a step: the agent's own text, the hints of the declared tools, the instructions of the imposed skills, the kits and
 * tool skills of the callable tools, the list of the other skills, and the instructions of the active ones. The same state gives the same
 * text, so that providers can cache it.
 */
export class SystemPrompt {
  readonly #run: PromptSource;
  #callable: readonly AnyTool[] | undefined;
  #tools: readonly AnyTool[] | undefined;
  #active: readonly Skill[] | undefined;
  #text = '';

  constructor(run: PromptSource) {
    this.#run = run;
  }

  /** The prompt; assembled again only when its parts have changed. */
  get text(): string {
    const { definition, offered } = this.#run;
    const callable = offered.tools();
    const tools = offered.declared();
    const active = definition.skills.length === 0 ? emptyArray : this.#run.skills.active;
    if (callable === this.#callable && tools === this.#tools && active === this.#active) return this.#text;
    this.#callable = callable;
    this.#tools = tools;
    this.#active = active;
    const { system, skills, imposedSkills: imposed } = definition;
    const guides = definition.guides.sections(callable, tools);
    this.#text = assembleSystem({ system, tools, skills, imposed, guides, active });
    return this.#text;
  }
}

interface SystemParts {
  readonly system: string;
  readonly tools: readonly AnyTool[];
  readonly skills: readonly Skill[];
  readonly imposed: readonly Skill[];
  readonly guides: readonly string[];
  readonly active: readonly Skill[];
}

function assembleSystem({ system, tools, skills, imposed, guides, active }: SystemParts): string {
  const hints = tools.flatMap((tool) =>
    isLocalTool(tool) && tool.promptHint !== undefined ? [`- ${tool.name}: ${oneLine(tool.promptHint)}`] : [],
  );
  const known = skills.map(({ name, description }) => `- ${name}: ${oneLine(description)}`);
  return [
    system,
    section('Tool hints', hints.toSorted()),
    ...imposed.map(instructionsOf),
    ...guides,
    section('Skills', known.toSorted(), 'Call activate_skill before you start a task that one of these covers.'),
    ...active.map(instructionsOf),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function instructionsOf({ name, instructions }: Skill): string {
  return `## Skill: ${name}\n\n${instructions.trim()}`;
}

function section(title: string, lines: readonly string[], note?: string): string {
  if (lines.length === 0) return '';
  return [`## ${title}`, '', ...(note === undefined ? [] : [note, '']), ...lines].join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
