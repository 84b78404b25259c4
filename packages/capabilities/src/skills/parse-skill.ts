import { parse } from 'yaml';
import type { Skill } from '@ravi/kernel';
import { visibleText } from '@ravi/support';
import { readAllowedTools } from './allowed-tools.ts';

/** A parsed skill, or the problem with it. */
export type ParsedSkill = { readonly skill: Skill } | { readonly problem: string };

const maxNameCharacters = 64;
const maxDescriptionCharacters = 1_024;
/** The time to read YAML grows with the square of its size, for example to check that keys differ, and nothing else runs meanwhile. */
const maxYamlCharacters = 16_384;

/**
 * Parses a SKILL.md: YAML between two lines of `---`, then Markdown. Format: https://agentskills.io/specification.
 * `version` comes from `metadata`; it is `1.0.0` when absent. An entry of `allowed-tools` with a pattern, such as
 * `Bash(git:*)`, matches no tool here, so that tool stays forbidden.
 */
export function parseSkill(text: string, folderName: string): ParsedSkill {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text);
  if (match === null) return { problem: 'does not begin with YAML between two lines of ---' };
  const [, yaml = ''] = match;
  if (yaml.length > maxYamlCharacters) {
    return { problem: `has ${yaml.length} characters of YAML; at most ${maxYamlCharacters} are allowed` };
  }
  const fields = readFields(yaml);
  if (fields === undefined) return { problem: 'has YAML that cannot be read' };
  const { name, description } = fields;
  const problem = problemWithName(name, folderName) ?? problemWithDescription(description);
  if (problem !== undefined) return { problem };
  const allowed = Object.hasOwn(fields, 'allowed-tools') ? readAllowedTools(fields['allowed-tools']) : undefined;
  if (allowed !== undefined && 'problem' in allowed) return allowed;
  return {
    skill: {
      name: name as string,
      description: visibleText(description as string).trim(),
      instructions: visibleText(match[2] ?? '').trim(),
      version: versionOf(fields['metadata']),
      ...(allowed === undefined ? {} : { allowedTools: allowed.entries }),
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function readFields(yaml: string): Fields | undefined {
  return tryParse(yaml) ?? tryParse(withQuotedValues(yaml));
}

function tryParse(yaml: string): Fields | undefined {
  try {
    // No aliases: a few lines of them can expand to gigabytes.
    const value: unknown = parse(yaml, { maxAliasCount: 0, logLevel: 'error' });
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

// Many published skills have a colon in an unquoted description, which YAML does not allow.
function withQuotedValues(yaml: string): string {
  return yaml.replaceAll(/^([\w-]+):[ \t]+([^\s'"|>[{&*#].*: .*)$/gm, (_, key: string, value: string) => {
    return `${key}: ${JSON.stringify(value.trimEnd())}`;
  });
}

function problemWithName(name: unknown, folderName: string): string | undefined {
  if (typeof name !== 'string' || name.length > maxNameCharacters || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    return `has the name ${JSON.stringify(name)}; it must be 1–${maxNameCharacters} lower-case letters, digits and single hyphens`;
  }
  return name === folderName ? undefined : `has the name ${name} in the folder ${folderName}; they must be the same`;
}

function problemWithDescription(description: unknown): string | undefined {
  if (typeof description !== 'string' || description.trim() === '') return 'has no description';
  if (description.length <= maxDescriptionCharacters) return undefined;
  return `has a description of ${description.length} characters; at most ${maxDescriptionCharacters} are allowed`;
}

function versionOf(metadata: unknown): string {
  const version = (metadata as { readonly version?: unknown } | null | undefined)?.version;
  return typeof version === 'string' || typeof version === 'number' ? String(version) : '1.0.0';
}
