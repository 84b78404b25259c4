import { compareRisk, defineChainPolicy } from '@ravi/kernel';
import type { ChainPolicy, InterceptedCall, Skill } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import type { AllowList } from './tool-rules.ts';

/** Checks a call of a session before it runs. Returns the reason to refuse it, or `undefined`. */
export type CallGuard = (call: InterceptedCall) => string | undefined | Promise<string | undefined>;

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
  parent: { readonly policy: ChainPolicy } | undefined,
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

/** Returns the allow-lists that the options of a session name. */
export function allowListsOf({ allowedTools, skills = emptyArray }: AllowListOptions): readonly AllowList[] {
  const lists = [allowedTools, ...skills.map((skill) => skill.allowedTools)].filter((list) => list !== undefined);
  return lists.length === 0 ? emptyArray : lists.map((list) => new Set(list));
}
