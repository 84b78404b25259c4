import { matchesPattern } from './match-pattern.ts';

/** Place of a tool among the sources of a process. */
export interface PatternPlace {
  /** First part of the prefix of a pattern, for example `mcp` in `mcp:github/*`; absent if it is not known. */
  readonly kind?: string | undefined;
  /** Name of the source. */
  readonly source: string;
}

/** A pattern whose prefix names sources. */
export interface PrefixedPattern {
  readonly kind: string;
  /** Pattern of the names of sources. */
  readonly source: string;
  /** Pattern of the own names of their tools. */
  readonly name: string;
}

const prefixed = /^([a-z][a-z0-9-]*):([^/]*)\/(.*)$/s;

/** Characters of a name here: letters, digits and three others. */
const ofNames = /^[a-zA-Z0-9_.*-]{1,200}$/;
/** Limit of the name of a source, and of the name that a source gives a tool. */
const maxCharacters = 200;

/** Returns that no tool can have a name that the pattern matches, and what to write; `undefined` for a pattern that may match. */
export function toolPatternProblem(pattern: string): string | undefined {
  const prefix = splitToolPattern(pattern);
  if (prefix === undefined ? ofNames.test(pattern) : isText(prefix.source) && isText(prefix.name)) return undefined;
  return `The tool pattern ${JSON.stringify(pattern.slice(0, 80))} matches no tool: write a name, a name with * such as "git.*", or "mcp:server/*"`;
}

function isText(text: string): boolean {
  return text !== '' && text.length <= maxCharacters;
}

/** Returns the parts of a pattern such as `mcp:github/*`; `undefined` for one without a prefix. */
export function splitToolPattern(pattern: string): PrefixedPattern | undefined {
  const [, kind, source = '', name = ''] = prefixed.exec(pattern) ?? [];
  return kind === undefined ? undefined : { kind, source, name };
}

/** True if the prefix of a pattern names the source of a tool. */
export function namesSource({ kind, source }: Omit<PrefixedPattern, 'name'>, place: PatternPlace): boolean {
  return (place.kind === undefined || place.kind === kind) && matchesPattern(source, place.source);
}
