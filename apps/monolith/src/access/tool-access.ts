import { isDeepStrictEqual } from 'node:util';
import type { ResolvedConfig, ToolPatterns } from '@ravi/host';
import { createToolRules, explainUnmatched } from '@ravi/invoker';
import type { CallerAccess, Toolbox, ToolFilter } from '@ravi/invoker';
import type { Principal } from '@ravi/kernel';
import { allowedAndDenied } from './contradictions.ts';

/** Parts of a configuration that say which tools a caller may use. */
export type ToolAccessRules = Pick<ResolvedConfig, 'toolAccess'> & {
  readonly server: Pick<ResolvedConfig['server'], 'tokens'>;
};

/** Tools that the callers of a process may use. */
export interface ToolAccess extends CallerAccess {
  /** Rules that hold now. */
  readonly rules: ToolAccessRules;
  /** Returns the tool role of a principal; `undefined` without one. */
  roleOf(principal: Principal): string | undefined;
  /** True if every caller may use the tool. */
  isForAll(tool: string): boolean;
  /**
   * Replaces the rules, at once also for runs that work, wait or are resumed.
   * @throws KernelError `E_CONFIG_INVALID` for a pattern that no tool can match; the rules are then as before
   */
  replace(rules: ToolAccessRules): void;
  /**
   * Checks the rules of a configuration; `commit` brings them into effect. `undefined` if they are the same.
   * @throws KernelError as {@link ToolAccess.replace}
   */
  prepare(draft: ToolAccessDraft): Promise<{ commit(): void } | undefined>;
  /** Returns what has no effect: patterns that match no tool at the moment, with suggestions, and roles that no access token has. */
  warnings(): readonly string[];
  /** Calls a listener after the rules were replaced. Returns a function that ends it. */
  onChange(listener: () => void): () => void;
}

/** Rules of a configuration that may come into effect. */
export interface ToolAccessDraft {
  readonly config: Pick<ResolvedConfig, 'toolAccess'>;
  readonly tokens: ToolAccessRules['server']['tokens'];
}

/** Options of {@link createToolAccess}. */
export interface ToolAccessOptions {
  readonly toolbox: Toolbox;
  /** True for the tools of the runtime, which stay if a role allows only some. */
  readonly isOfRuntime: (tool: string) => boolean;
}

/** Principal of commands on the machine of a server, and of every request if there are no access tokens. */
export const localPrincipal: Principal = 'local';

interface Rules {
  /** Tools of callers without a role; `undefined` for all tools. */
  readonly base: ToolFilter | undefined;
  readonly ofRoles: ReadonlyMap<string, ToolFilter>;
  /** Role of each principal that has an access token. */
  readonly roles: ReadonlyMap<Principal, string | undefined>;
}

const noTool: ToolFilter = { has: () => false };

/** Creates the rules of a configuration. @throws KernelError as {@link ToolAccess.replace} */
export function createToolAccess(initial: ToolAccessRules, options: ToolAccessOptions): ToolAccess {
  let current = initial;
  let rules = rulesOf(initial, options);
  // Roles that were taken away do not widen what their callers may use.
  let isStrict = rules.ofRoles.size > 0;
  const listeners = new Set<() => void>();

  function prepare(next: ToolAccessRules): { commit(): void } | undefined {
    if (isDeepStrictEqual(partsOf(next), partsOf(current))) return undefined;
    const nextRules = rulesOf(next, options);
    return {
      commit() {
        rules = nextRules;
        isStrict ||= rules.ofRoles.size > 0;
        current = next;
        for (const listener of listeners) listener();
      },
    };
  }

  return {
    toolsOf(principal) {
      const { base, ofRoles, roles } = rules;
      const role = roles.get(principal);
      if (role !== undefined) return ofRoles.get(role) ?? noTool;
      // Its token was removed, and with it perhaps a role.
      const isUnknown = !roles.has(principal) && principal !== localPrincipal;
      return isStrict && isUnknown ? noTool : base;
    },
    isDisabled: (tool) => rules.base?.has(tool) === false,
    roleOf: (principal) => rules.roles.get(principal),
    isForAll(tool) {
      const { base, ofRoles } = rules;
      return (base?.has(tool) ?? true) && [...ofRoles.values()].every((filter) => filter.has(tool));
    },
    replace: (next) => prepare(next)?.commit(),
    prepare: ({ config: { toolAccess }, tokens }) => Promise.resolve(prepare({ toolAccess, server: { tokens } })),
    get rules() {
      return current;
    },
    warnings: () => warningsOf(current, options.toolbox),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function partsOf({ toolAccess, server }: ToolAccessRules): object {
  return { toolAccess, roles: toolRolesOf(server.tokens) };
}

/** Returns the tool role of each principal that has an access token. */
export function toolRolesOf(tokens: ToolAccessRules['server']['tokens']): ReadonlyMap<Principal, string | undefined> {
  return new Map(tokens.map(({ principal, toolRole }) => [principal, toolRole]));
}

function rulesOf({ toolAccess, server }: ToolAccessRules, options: ToolAccessOptions): Rules {
  const { disabled = [], roles = {} } = toolAccess;
  const base = disabled.length === 0 ? undefined : filterOf({ deny: disabled }, options);
  const ofRoles = Object.entries(roles).map(
    ([name, { allow, deny = [] }]) =>
      [name, filterOf({ ...(allow && { allow }), deny: [...deny, ...disabled] }, options)] as const,
  );
  return {
    base,
    ofRoles: new Map(ofRoles),
    roles: toolRolesOf(server.tokens),
  };
}

// An allow-list chooses among tools that do something. Those of the runtime find, describe, ask and wait; a list may deny them.
function filterOf({ allow, deny = [] }: ToolPatterns, { toolbox, isOfRuntime }: ToolAccessOptions): ToolFilter {
  const listed = createToolRules({ ...(allow && { allow }), deny }, toolbox);
  const denied = createToolRules({ deny }, toolbox);
  return { has: (tool) => listed.has(tool) || (isOfRuntime(tool) && denied.has(tool)) };
}

function warningsOf({ toolAccess, server }: ToolAccessRules, toolbox: Toolbox): readonly string[] {
  const { disabled = [], roles = {} } = toolAccess;
  const lists = [
    { place: 'toolAccess.disabled', patterns: { deny: disabled } },
    ...Object.entries(roles).map(([name, patterns]) => ({ place: `toolAccess.roles.${name}`, patterns })),
  ];
  const unmatched = lists.flatMap(({ place, patterns }) =>
    explainUnmatched(patterns, toolbox).map((problem) => `${place}: ${problem}`),
  );
  const given = new Set(server.tokens.map(({ toolRole }) => toolRole));
  const unused = Object.keys(roles).filter((name) => !given.has(name));
  return [
    ...unmatched,
    ...Object.entries(roles).flatMap(([name, patterns]) => allowedAndDenied(`toolAccess.roles.${name}`, patterns)),
    ...unused.map((name) => `toolAccess.roles.${name}: no access token has this toolRole`),
  ];
}
