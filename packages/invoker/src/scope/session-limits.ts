import { compareRisk, defineChainPolicy } from '@ravi/kernel';
import type { ChainPolicy } from '@ravi/kernel';

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
