import { compareRisk, defineChainPolicy } from '@ravi/kernel';
import type { ChainPolicy } from '@ravi/kernel';
import { emptyArray } from '@ravi/support';
import type { SessionOptions } from './session.ts';

/**
 * The policy of a session. Inside another one limits may differ, but no more may run without approval than there.
 * @throws KernelError `E_CONFIG_INVALID`
 */
export function policyOf({ policy, parent }: SessionOptions, basePolicy: ChainPolicy): ChainPolicy {
  const base = parent?.policy ?? basePolicy;
  if (policy === undefined) return base;
  const own = defineChainPolicy(policy, base);
  return parent === undefined ? own : withRisksOf(base, own);
}

/** `own` with no more that runs without approval than `base` allows. */
export function withRisksOf(base: ChainPolicy, own: ChainPolicy): ChainPolicy {
  return defineChainPolicy(
    {
      maxRiskUnapproved: base.maxRiskUnapproved === 'safe' ? 'safe' : own.maxRiskUnapproved,
      defaultRisk: compareRisk(own.defaultRisk, base.defaultRisk) < 0 ? base.defaultRisk : own.defaultRisk,
    },
    own,
  );
}

/** The tool lists of a session, those of the one around it included: each can only narrow. */
export function allowListsOf({
  parent,
  allowedTools,
  skills = emptyArray,
}: SessionOptions): readonly ReadonlySet<string>[] {
  const around = parent?.allowLists ?? emptyArray;
  const own = [allowedTools, ...skills.map((skill) => skill.allowedTools)].filter((list) => list !== undefined);
  return own.length === 0 ? around : [...around, ...own.map((list) => new Set(list))];
}
