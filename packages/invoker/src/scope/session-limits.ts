import { compareRisk, defineChainPolicy } from '@ravi/kernel';
import type { ChainPolicy, Skill } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';

/** Limits of a session, which a session inside of it can only narrow. */
export interface SessionLimits {
  readonly policy: ChainPolicy;
  /** A tool is allowed if every list names it. */
  readonly allowLists: readonly ReadonlySet<string>[];
}

/** Options that narrow which tools a session may call. */
export interface AllowListOptions {
  readonly allowedTools?: readonly string[];
  readonly skills?: readonly Skill[];
}

/**
 * Returns the policy of a session: `base` with the fields of `policy`. Inside a parent, limits may differ, but nothing
 * runs without approval that needs it in the parent.
 * @throws KernelError `E_CONFIG_INVALID`
 */
export function policyOf(
  policy: Partial<ChainPolicy> | undefined,
  parent: SessionLimits | undefined,
  basePolicy: ChainPolicy,
): ChainPolicy {
  const base = parent?.policy ?? basePolicy;
  if (policy === undefined) return base;
  const own = defineChainPolicy(policy, base);
  return parent === undefined ? own : withRisksOf(base, own);
}

/** Returns `own`, restricted so that nothing runs without approval that needs it under `base`. */
export function withRisksOf(base: ChainPolicy, own: ChainPolicy): ChainPolicy {
  return defineChainPolicy(
    {
      maxRiskUnapproved: base.maxRiskUnapproved === 'safe' ? 'safe' : own.maxRiskUnapproved,
      defaultRisk: compareRisk(own.defaultRisk, base.defaultRisk) < 0 ? base.defaultRisk : own.defaultRisk,
    },
    own,
  );
}

/** Returns the allow-lists of a session, those of its parent included. */
export function allowListsOf(
  { allowedTools, skills = emptyArray }: AllowListOptions,
  parent: SessionLimits | undefined,
): readonly ReadonlySet<string>[] {
  const inherited = parent?.allowLists ?? emptyArray;
  const own = [allowedTools, ...skills.map((skill) => skill.allowedTools)].filter((list) => list !== undefined);
  return own.length === 0 ? inherited : [...inherited, ...own.map((list) => new Set(list))];
}
