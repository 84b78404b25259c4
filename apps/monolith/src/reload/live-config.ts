import type { ResolvedConfig } from '@ravi/host';

type LiveKey = (typeof liveKeys)[number];

/** Keys of a configuration whose changes have an effect without a restart. */
export const liveKeys = [
  'agent',
  'agents',
  'defaultAgent',
  'supervision',
  'budgets',
  'policy',
  'triggers',
  'toolAccess',
  'tools',
  'skills',
  'kits',
  'toolSkills',
  'workspaces',
] as const;

/** Fields of `agent` that models and tools receive when they open. */
export const fixedAgentFields = ['demoScript', 'modelCooldownMs', 'hostedToolSearch'] as const;

/** Field of `policy` from which the server derives the limits of request bodies when it starts. */
export const fixedPolicyField = 'maxSourceBytes';

/** A configuration that a reload replaces while its readers keep the same object. */
export interface LiveConfig {
  /** Its keys return the current values. A reader that copies one keeps the value of that moment. */
  readonly config: ResolvedConfig;
  replace(next: ResolvedConfig): void;
}

/** Creates a live configuration. */
export function createLiveConfig(initial: ResolvedConfig): LiveConfig {
  let current: Readonly<Record<string, unknown>> = { ...initial };
  const config = {};
  for (const key of Object.keys(initial)) {
    Object.defineProperty(config, key, { enumerable: true, get: () => current[key] });
  }
  return {
    config: config as ResolvedConfig,
    replace(next) {
      current = { ...next };
    },
  };
}

/** Returns the configuration that holds after a reload: the new values of keys that can change, and the old ones of all others. */
export function mergedConfig(before: ResolvedConfig, after: ResolvedConfig): ResolvedConfig {
  const live = Object.fromEntries(liveKeys.map((key) => [key, after[key]])) as Pick<ResolvedConfig, LiveKey>;
  const fixed = fixedAgentFields.flatMap((field) => (field in before.agent ? [[field, before.agent[field]]] : []));
  const { demoScript: _, modelCooldownMs: __, hostedToolSearch: ___, ...agent } = after.agent;
  const policy = { ...after.policy, [fixedPolicyField]: before.policy[fixedPolicyField] };
  return { ...before, ...live, policy, agent: { ...agent, ...Object.fromEntries(fixed) } };
}
