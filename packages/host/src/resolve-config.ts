import { resolve } from 'node:path';
import { KernelError, defineChainPolicy, isKernelError } from '@ravi/kernel';
import type { JsonSchema } from '@ravi/kernel';
import { agentMistakes } from './check-agents.ts';
import { budgetMistakes } from './check-budgets.ts';
import { patternMistakes } from './check-patterns.ts';
import { toolAccessMistakes } from './check-tool-access.ts';
import { compileSchema } from './compile-schema.ts';
import { configSchema } from './config-schema.ts';
import { shippedKits } from './config.ts';
import type { RaviConfig, ResolvedConfig } from './config.ts';
import { resolveWorkspaces, workspaceMistakes } from './workspace-config.ts';

/** Origin of a configuration. */
export interface ConfigOrigin {
  /** Absolute folder from which relative paths are resolved. */
  readonly baseDir: string;
  /** Start of each error message, usually the file. */
  readonly source: string;
}

/**
 * Checks a configuration and returns a copy completed with the defaults.
 * @throws KernelError `E_CONFIG_INVALID` that lists every mistake with its key
 */
export function resolveConfig(value: unknown, { baseDir, source }: ConfigOrigin): ResolvedConfig {
  const config = completeOptions(value, configSchema, source);
  // The check has filled in the defaults of the schema.
  const { server, policy, chains, approvals, runs, agent, retention, logging, telemetry, tools, skills, plugins } =
    config as Required<RaviConfig>;
  const { agents, defaultAgent, supervision, budgets, triggers, toolAccess, channels, kits, toolSkills, workspaces } =
    config as Required<RaviConfig>;
  const ofAgents = { agent: agent as ResolvedConfig['agent'], agents };
  const contradictions = [
    ...agentMistakes({ ...ofAgents, defaultAgent }),
    ...budgetMistakes({ ...ofAgents, budgets }),
    ...patternMistakes({ ...ofAgents, toolAccess }),
    ...workspaceMistakes(agent, agents, workspaces),
    ...toolAccessMistakes({ server: server as ResolvedConfig['server'], toolAccess }),
  ];
  if (contradictions.length > 0) throw invalidConfig(source, contradictions);
  try {
    return {
      server: server as ResolvedConfig['server'],
      policy: defineChainPolicy(policy),
      chains: chains as ResolvedConfig['chains'],
      approvals: approvals as ResolvedConfig['approvals'],
      runs: runs as ResolvedConfig['runs'],
      agent: {
        ...(agent as ResolvedConfig['agent']),
        ...(agent.demoScript === undefined ? {} : { demoScript: resolve(baseDir, agent.demoScript) }),
      },
      agents,
      defaultAgent,
      supervision: supervision as ResolvedConfig['supervision'],
      budgets,
      triggers: triggers as ResolvedConfig['triggers'],
      toolAccess,
      retention: retention as ResolvedConfig['retention'],
      channels: channels as ResolvedConfig['channels'],
      logging: logging as ResolvedConfig['logging'],
      telemetry: telemetry as ResolvedConfig['telemetry'],
      tools: tools.map((folder) => resolve(baseDir, folder)),
      skills: skills.map((folder) => resolve(baseDir, folder)),
      kits: kits.map((folder) => (folder === shippedKits ? folder : resolve(baseDir, folder))),
      toolSkills: toolSkills.map((folder) => resolve(baseDir, folder)),
      workspaces: resolveWorkspaces(workspaces, baseDir),
      plugins,
    };
  } catch (error) {
    throw isKernelError(error) ? invalidConfig(source, [error.message], error) : error;
  }
}

/**
 * Checks the options of another program by their schema and returns a copy completed with the defaults.
 * @throws KernelError `E_CONFIG_INVALID` that lists every mistake with its key
 */
export function completeOptions(value: unknown, schema: JsonSchema, source: string): unknown {
  const options = copyOf(value, source);
  const mistakes = compileSchema(schema)(options, '');
  if (mistakes.length > 0) throw invalidConfig(source, mistakes);
  return options;
}

/** Returns one `E_CONFIG_INVALID` error for all mistakes of a source. */
export function invalidConfig(source: string, mistakes: readonly string[], cause?: unknown): KernelError {
  const text = mistakes.length === 1 ? ` ${mistakes[0]}` : mistakes.map((mistake) => `\n- ${mistake}`).join('');
  return new KernelError('E_CONFIG_INVALID', `${source}:${text}`, { cause });
}

/** Returns a copy that can be completed with defaults. @throws KernelError `E_CONFIG_INVALID` if it is not plain data */
export function copyOf(value: unknown, source: string): unknown {
  try {
    return structuredClone(value);
  } catch (cause) {
    throw invalidConfig(source, ['a configuration must be plain data, without functions'], cause);
  }
}
