import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isSecretKey } from '@ravi/invoker';
import type { ResolvedConfig } from '@ravi/host';

/**
 * Returns the secrets of an installation: variables and plugin options with names of secrets, and the access tokens of its
 * callers.
 */
export async function knownSecrets(
  { plugins, server }: ResolvedConfig,
  { env, baseDir }: { readonly env: Readonly<Record<string, string | undefined>>; readonly baseDir: string },
): Promise<readonly string[]> {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isSecretKey(name) ? [value] : [],
  );
  const accessTokens = server.tokens.map(async ({ token, tokenFile }) => {
    if (token !== undefined) return env[token.$env] ?? '';
    return tokenFile === undefined ? '' : textOf(resolve(baseDir, tokenFile));
  });
  return [...variables, ...secretsIn(plugins), ...(await Promise.all(accessTokens))];
}

function secretsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    typeof field === 'string' && isSecretKey(name) ? [field] : secretsIn(field),
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
