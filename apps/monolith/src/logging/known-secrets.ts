import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isSecretKey } from '@ravi/support';
import { isEnvironmentValue } from '@ravi/host';
import type { Environment, ResolvedConfig } from '@ravi/host';

/**
 * Returns the secrets of an installation: variables and plugin options with names of secrets, plugin options that come from the
 * environment, and the access tokens of its callers.
 */
export async function knownSecrets(
  { plugins, server }: ResolvedConfig,
  { env, baseDir }: { readonly env: Environment; readonly baseDir: string },
): Promise<readonly string[]> {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isSecretKey(name) ? [value] : [],
  );
  const accessTokens = server.tokens.map(async ({ token, tokenFile }) => {
    if (token !== undefined) return env[token.$env] ?? '';
    return tokenFile === undefined ? '' : textOf(resolve(baseDir, tokenFile));
  });
  return [...variables, ...secretsIn(plugins, env), ...(await Promise.all(accessTokens))];
}

function secretsIn(value: unknown, env: Environment): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  // What an option takes from the environment is a secret under any name.
  if (isEnvironmentValue(value)) return [env[value.$env] ?? ''];
  return Object.entries(value).flatMap(([name, field]) =>
    typeof field === 'string' && isSecretKey(name) ? [field] : secretsIn(field, env),
  );
}

// `readAccessTokens` reports a file that cannot be read.
async function textOf(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return '';
  }
}
