import { isLoopTool } from '@ravi/agents';
import type { ResolvedConfig, ToolPatterns } from '@ravi/host';
import { createToolRules, unmatchedPatterns } from '@ravi/invoker';
import type { CallerAccess, Toolbox, ToolFilter } from '@ravi/invoker';
import { KernelError } from '@ravi/kernel';
import type { Principal } from '@ravi/kernel';
import { nearNames } from '@ravi/support';
import { localCaller } from '../http/access/caller.ts';
import { builtInSource } from '../sources/built-in-tools.ts';

/** Parts of a configuration that say which tools a caller may use. */
export type ToolAccessRules = Pick<ResolvedConfig, 'toolAccess'> & {
  readonly server: Pick<ResolvedConfig['server'], 'tokens'>;
};

/** Tools that the callers of a process may use. */
export interface ToolAccess extends CallerAccess {
  /** True if every caller may use the tool. */
  isForAll(tool: string): boolean;
  /**
   * Replaces the rules, at once also for runs that work, wait or are resumed.
   * @throws KernelError `E_CONFIG_INVALID` for a pattern that no tool can match; the rules are then as before
   */
  replace(rules: ToolAccessRules): void;
  /** Returns what has no effect: patterns that match no tool at the moment, with suggestions, and roles that no access token has. */
  warnings(): readonly string[];
  /** Calls a listener after the rules were replaced. Returns a function that ends it. */
  onChange(listener: () => void): () => void;
}

interface Rules {
  /** Tools of callers without a role; `undefined` for all tools. */
  readonly base: ToolFilter | undefined;
  readonly ofRoles: ReadonlyMap<string, ToolFilter>;
  /** Role of each principal that has an access token. */
  readonly roles: ReadonlyMap<Principal, string | undefined>;
}

const noTool: ToolFilter = { has: () => false };

/** Creates the rules of a configuration. @throws KernelError as {@link ToolAccess.replace} */
export function createToolAccess(initial: ToolAccessRules, toolbox: Toolbox): ToolAccess {
  let current = initial;
  let rules = rulesOf(initial, toolbox);
  const listeners = new Set<() => void>();

  return {
    toolsOf(principal) {
      const { base, ofRoles, roles } = rules;
      const role = roles.get(principal);
      if (role !== undefined) return ofRoles.get(role) ?? noTool;
      // A caller whose token was removed must not get more tools than it had.
      const isGone = ofRoles.size > 0 && roles.size > 0 && !roles.has(principal) && principal !== localCaller.principal;
      return isGone ? noTool : base;
    },
    isDisabled: (tool) => rules.base?.has(tool) === false,
    isForAll(tool) {
      const { base, ofRoles } = rules;
      return (base?.has(tool) ?? true) && [...ofRoles.values()].every((filter) => filter.has(tool));
    },
    replace(next) {
      if (JSON.stringify(partsOf(next)) === JSON.stringify(partsOf(current))) return;
      rules = rulesOf(next, toolbox);
      current = next;
      for (const listener of listeners) listener();
    },
    warnings: () => warningsOf(current, toolbox),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function partsOf({ toolAccess, server }: ToolAccessRules): object {
  return { toolAccess, roles: server.tokens.map(({ principal, toolRole }) => [principal, toolRole]) };
}

function rulesOf({ toolAccess, server }: ToolAccessRules, toolbox: Toolbox): Rules {
  const { disabled = [], roles = {} } = toolAccess;
  const base = disabled.length === 0 ? undefined : filterOf('toolAccess.disabled', { deny: disabled }, toolbox);
  const ofRoles = Object.entries(roles).map(([name, { allow, deny = [] }]) => {
    const place = `toolAccess.roles.${name}`;
    // The patterns of this role first, so that a mistake is reported at its place.
    const lists = { ...(allow && { allow }), deny: [...deny, ...disabled] };
    return [name, filterOf(place, lists, toolbox)] as const;
  });
  return {
    base,
    ofRoles: new Map(ofRoles),
    roles: new Map(server.tokens.map(({ principal, toolRole }) => [principal, toolRole])),
  };
}

// An allow-list chooses among tools that do something. Those of the runtime find, describe, ask and wait; a list may deny them.
function filterOf(place: string, { allow, deny = [] }: ToolPatterns, toolbox: Toolbox): ToolFilter {
  try {
    const listed = createToolRules({ ...(allow && { allow }), deny }, toolbox);
    const denied = createToolRules({ deny }, toolbox);
    const isOfRuntime = (tool: string): boolean =>
      toolbox.sourceOf(tool) === builtInSource || isLoopTool(toolbox, tool);
    return { has: (tool) => listed.has(tool) || (isOfRuntime(tool) && denied.has(tool)) };
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    throw new KernelError(error.code, `${place}: ${error.message}`, { cause: error });
  }
}

function warningsOf({ toolAccess, server }: ToolAccessRules, toolbox: Toolbox): readonly string[] {
  const { disabled = [], roles = {} } = toolAccess;
  const lists = [
    { place: 'toolAccess.disabled', patterns: { deny: disabled } },
    ...Object.entries(roles).map(([name, patterns]) => ({ place: `toolAccess.roles.${name}`, patterns })),
  ];
  const unmatched = lists.flatMap(({ place, patterns }) =>
    unmatchedPatterns(patterns, toolbox).map((pattern) => {
      const near = nearNames(pattern, toolbox.names());
      const hint = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
      return `${place}: the pattern "${pattern}" matches no tool${hint}`;
    }),
  );
  const given = new Set(server.tokens.map(({ toolRole }) => toolRole));
  const unused = Object.keys(roles).filter((name) => !given.has(name));
  return [...unmatched, ...unused.map((name) => `toolAccess.roles.${name}: no access token has this toolRole`)];
}
