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

/** Returns the parts of a pattern such as `mcp:github/*`; `undefined` for one without a prefix. */
export function splitToolPattern(pattern: string): PrefixedPattern | undefined {
  const [, kind, source = '', name = ''] = prefixed.exec(pattern) ?? [];
  return kind === undefined ? undefined : { kind, source, name };
}

/** True if the prefix of a pattern names the source of a tool. */
export function namesSource({ kind, source }: Omit<PrefixedPattern, 'name'>, place: PatternPlace): boolean {
  return (place.kind === undefined || place.kind === kind) && matchesPattern(source, place.source);
}
