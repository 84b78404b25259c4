import { resolve } from 'node:path';
import { KernelError, defineChainPolicy, isKernelError } from '@ravi/kernel';
import { compileSchema } from './compile-schema.ts';
import { configSchema } from './config-schema.ts';
import type { RaviConfig, ResolvedConfig } from './config.ts';

/** Where a configuration comes from. */
export interface ConfigOrigin {
  /** Absolute folder that relative paths mean. */
  readonly baseDir: string;
  /** Stands at the start of each message: the file, as a rule. */
  readonly source: string;
}

/**
 * Checks a configuration and completes it with the defaults; the given value stays as it is.
 * @throws KernelError `E_CONFIG_INVALID` that lists every mistake with its place
 */
export function resolveConfig(value: unknown, { baseDir, source }: ConfigOrigin): ResolvedConfig {
  const config = copyOf(value, source);
  const mistakes = compileSchema(configSchema)(config, '');
  if (mistakes.length > 0) throw invalidConfig(source, mistakes);
  // The schema has filled in its defaults, so everything that has one is there.
  const { server, policy, chains, agent, retention, logging, telemetry, tools, skills, plugins } =
    config as RaviConfig & Required<Omit<RaviConfig, 'retention'>>;
  try {
    return {
      server: server as ResolvedConfig['server'],
      policy: defineChainPolicy(policy),
      chains: chains as ResolvedConfig['chains'],
      agent: {
        ...(agent as ResolvedConfig['agent']),
        ...(agent.demoScript === undefined ? {} : { demoScript: resolve(baseDir, agent.demoScript) }),
      },
      ...(retention === undefined ? {} : { retention }),
      logging: logging as ResolvedConfig['logging'],
      telemetry: telemetry as ResolvedConfig['telemetry'],
      tools: tools.map((folder) => resolve(baseDir, folder)),
      skills: skills.map((folder) => resolve(baseDir, folder)),
      plugins,
    };
  } catch (error) {
    throw isKernelError(error) ? invalidConfig(source, [error.message], error) : error;
  }
}

/** One `E_CONFIG_INVALID` for all mistakes of a source. */
export function invalidConfig(source: string, mistakes: readonly string[], cause?: unknown): KernelError {
  const text = mistakes.length === 1 ? ` ${mistakes[0]}` : mistakes.map((mistake) => `\n- ${mistake}`).join('');
  return new KernelError('E_CONFIG_INVALID', `${source}:${text}`, { cause });
}

/** A copy to put defaults into. */
export function copyOf(value: unknown, source: string): unknown {
  try {
    return structuredClone(value);
  } catch (cause) {
    throw invalidConfig(source, ['a configuration holds plain data only, no functions'], cause);
  }
}
