import { createHash } from 'node:crypto';
import { toolNamePattern, toolOrigin } from '@ravi/kernel';
import type { Tool, ToolOrigin } from '@ravi/kernel';

const separator = '__';
const maxCharacters = 64;
const hashCharacters = 10;
/** Room for the source in a name that has to be cut; the rest is for the tool. */
const maxCutSource = 24;
const hashEnding = /_[0-9a-v]{10}$/;

/**
 * Returns the name under which a tool of a source is offered: `source__tool`, for example `github__create_issue`. Two different
 * pairs have two different names: a pair that does not fit as it is, or whose name could be read in another way, ends with a hash of
 * both. The name depends on nothing but the pair, so it stays the same when other tools come and go.
 */
export function toolNameOf(source: string, tool: string): string {
  const plain = `${source}${separator}${tool}`;
  const isClear = !source.includes(separator) && !source.endsWith('_') && !tool.startsWith('_');
  if (isClear && toolNamePattern.test(plain) && !hashEnding.test(plain)) return plain;
  return hashedName(source, tool);
}

function hashedName(source: string, tool: string): string {
  const start = /^[a-zA-Z_]/.test(source) ? '' : '_';
  const first = `${start}${sanitised(source)}`.slice(0, maxCutSource);
  const room = maxCharacters - first.length - separator.length - 1 - hashCharacters;
  return `${first}${separator}${sanitised(tool).slice(0, room)}_${hashOf(source, tool)}`;
}

function sanitised(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9_.-]+/g, '_');
}

/** 50 bits, as ten digits of base 32. */
function hashOf(source: string, tool: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([source, tool]))
    .digest();
  return Array.from(digest.subarray(0, hashCharacters), (byte) => (byte & 31).toString(32)).join('');
}

/** Names of the tools of a source, and those that could not be named. */
export interface NamedTools {
  /** Names by the tool's own name, in the given order. */
  readonly names: ReadonlyMap<string, string>;
  readonly failures: readonly { readonly from: string; readonly message: string }[];
}

/** Names the tools of one source with {@link toolNameOf}. A tool that is listed twice is named once and reported. */
export function nameTools(source: string, tools: Iterable<string>): NamedTools {
  const names = new Map<string, string>();
  const owners = new Map<string, string>();
  const failures: { from: string; message: string }[] = [];
  for (const tool of tools) {
    if (names.has(tool)) {
      failures.push({ from: tool, message: 'is listed twice; the first one counts' });
      continue;
    }
    const name = toolNameOf(source, tool);
    const owner = owners.get(name);
    if (owner === undefined) {
      names.set(tool, name);
      owners.set(name, tool);
    } else {
      failures.push({ from: tool, message: `has the same name as ${JSON.stringify(owner)}: ${name}` });
    }
  }
  return { names, failures };
}

/**
 * Returns a tool that says what its source calls it, so that patterns of a configuration such as `mcp:github/delete *` choose it by that
 * name too: the name under which it is offered has no spaces, and may end with a hash.
 */
export function withOrigin(tool: Tool, origin: ToolOrigin): Tool {
  const branded: Tool & { readonly [toolOrigin]: ToolOrigin } = { ...tool, [toolOrigin]: origin };
  return branded;
}
