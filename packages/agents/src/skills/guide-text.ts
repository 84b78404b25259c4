import type { Kit, KitNeed, ToolExample, ToolSkill } from '@ravi/kernel';

/** Tools of one need, or of one tool skill, that a text names. */
const maxNamed = 8;

/** Returns a kit as a section of a system prompt. `tools` are the tools of each of its needs. */
export function kitSection(kit: Kit, tools: readonly (readonly string[])[]): string {
  return [
    `## Kit: ${kit.name}`,
    [`Goal: ${kit.goal}`, ...kit.needs.map((need, index) => needLine(need, tools[index] ?? []))].join('\n'),
    list('When to use:', kit.whenToUse),
    ['Steps:', ...kit.steps.map((step, index) => `${index + 1}. ${oneLine(step)}`)].join('\n'),
    list('Tips:', kit.tips),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Returns a tool skill as a section of a prompt or of the description of a tool. `tools` are the tools that it is about. */
export function toolSkillSection(skill: ToolSkill, tools: readonly string[]): string {
  return [
    `## Advice on ${named(tools)}`,
    list('When to use:', skill.whenToUse),
    list('When not to use:', skill.whenNotToUse),
    list('Examples:', skill.examples?.map(exampleText)),
    list('Tips:', skill.tips),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function needLine({ purpose }: KitNeed, tools: readonly string[]): string {
  return `${purpose === undefined ? 'Tool' : `Tools for ${oneLine(purpose)}`}: ${named(tools)}`;
}

function named(tools: readonly string[]): string {
  const more = tools.length > maxNamed ? ` and ${tools.length - maxNamed} more` : '';
  return `${tools.slice(0, maxNamed).join(', ')}${more}`;
}

function exampleText({ text, args }: ToolExample): string {
  return args === undefined ? text : `${text}: ${args}`;
}

function list(title: string, lines: readonly string[] = []): string {
  return lines.length === 0 ? '' : [title, ...lines.map((line) => `- ${oneLine(line)}`)].join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
