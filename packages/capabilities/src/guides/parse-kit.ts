import { createToolRules } from '@ravi/invoker';
import { isKernelError } from '@ravi/kernel';
import type { Kit, KitNeed, ToolExample, ToolRegistry, ToolSkill } from '@ravi/kernel';
import type { Node } from 'yaml';
import { YamlFile } from './yaml-fields.ts';
import type { YamlFields, YamlProblem } from './yaml-fields.ts';

/** Content of a YAML file, or its problems. */
export type ParsedYaml<Value> = { readonly value: Value } | { readonly problems: readonly YamlProblem[] };

const maxNameCharacters = 64;
const namePattern = /^[a-z0-9]+(?:[_-][a-z0-9]+)*$/;

/** Parses a kit. */
export function parseKit(text: string): ParsedYaml<Kit> {
  const file = new YamlFile(text);
  const fields = file.fields('a kit');
  if (fields === undefined) return { problems: file.problems };
  const name = readName(file, fields);
  const goal = fields.text('goal', { isRequired: true });
  const whenToUse = fields.texts('when_to_use');
  const needs = fields.entries('tools', (node) => readNeed(file, node), { isRequired: true });
  const steps = fields.texts('steps', { isRequired: true });
  const tips = fields.texts('tips');
  const version = fields.text('version') ?? '1.0.0';
  fields.end();
  if (file.problems.length > 0 || name === undefined || goal === undefined) return { problems: file.problems };
  return { value: { name, goal, ...filled({ whenToUse, tips }), needs, steps, line: fields.lineOf('name'), version } };
}

/** Parses a tool skill. */
export function parseToolSkill(text: string): ParsedYaml<ToolSkill> {
  const file = new YamlFile(text);
  const fields = file.fields('a tool skill');
  if (fields === undefined) return { problems: file.problems };
  const tool = fields.text('tool', { isRequired: true });
  const line = fields.lineOf('tool');
  if (tool !== undefined) checkPattern(file, tool, line);
  const whenToUse = fields.texts('when_to_use');
  const whenNotToUse = fields.texts('when_not_to_use');
  const examples = fields.entries('examples', (node) => readExample(file, node));
  const tips = fields.texts('tips');
  const version = fields.text('version') ?? '1.0.0';
  fields.end();
  const advice = filled({ whenToUse, whenNotToUse, examples, tips });
  if (file.problems.length === 0 && Object.keys(advice).length === 0) {
    file.noteAt(line, 'a tool skill needs one of when_to_use, when_not_to_use, examples and tips');
  }
  if (file.problems.length > 0 || tool === undefined) return { problems: file.problems };
  return { value: { tool, ...advice, line, version } };
}

function readName(file: YamlFile, fields: YamlFields): string | undefined {
  const name = fields.text('name', { isRequired: true });
  if (name === undefined || (name.length <= maxNameCharacters && namePattern.test(name))) return name;
  file.noteAt(
    fields.lineOf('name'),
    `"name" must be 1–${maxNameCharacters} lower-case letters, digits, hyphens and underscores, got ${JSON.stringify(name.slice(0, maxNameCharacters))}`,
  );
  return undefined;
}

function readNeed(file: YamlFile, node: Node): KitNeed | undefined {
  const line = file.lineOf(node);
  const fields = file.fieldsOf(node, 'an entry of "tools"');
  if (fields === undefined) {
    const tool = file.text(node, 'an entry of "tools"');
    if (tool === undefined) return undefined;
    checkPattern(file, tool, line);
    return { any: [tool], line };
  }
  const purpose = fields.text('for');
  const any = fields.entries(
    'any',
    (each) => {
      const tool = file.text(each, 'an entry of "any"');
      if (tool !== undefined) checkPattern(file, tool, file.lineOf(each));
      return tool;
    },
    { isRequired: true },
  );
  fields.end();
  return { any, line, ...(purpose === undefined ? {} : { purpose }) };
}

function readExample(file: YamlFile, node: Node): ToolExample | undefined {
  const fields = file.fieldsOf(node, 'an example');
  if (fields === undefined) {
    const text = file.text(node, 'an entry of "examples"');
    return text === undefined ? undefined : { text, line: file.lineOf(node) };
  }
  const text = fields.text('task', { isRequired: true });
  const args = fields.json('args');
  fields.end();
  return text === undefined ? undefined : { text, line: file.lineOf(node), ...(args === undefined ? {} : { args }) };
}

const noTools = { names: () => [] } as unknown as ToolRegistry;

function checkPattern(file: YamlFile, pattern: string, line: number): void {
  try {
    createToolRules({ allow: [pattern] }, noTools);
  } catch (error) {
    if (!isKernelError(error)) throw error;
    file.noteAt(line, error.message);
  }
}

// Fields without entries are left out.
function filled<Lists extends Readonly<Record<string, readonly unknown[]>>>(lists: Lists): Partial<Lists> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<Lists>;
}
