import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AccessTokenConfig, ResolvedAccessToken } from '@ravi/host';
import { KernelError } from '@ravi/kernel';
import type { Caller } from './caller.ts';

/** A caller and the digest of its access token. */
export interface AccessToken {
  readonly caller: Caller;
  /** SHA-256 of the token. */
  readonly digest: Buffer;
}

const minCharacters = 32;

/**
 * Reads the access tokens of a configuration from the environment, files or hashes.
 * @throws KernelError `E_CONFIG_INVALID` for a token that is missing, weak or listed twice
 */
export async function readAccessTokens(
  configured: readonly ResolvedAccessToken[],
  { env, baseDir }: { readonly env: Readonly<Record<string, string | undefined>>; readonly baseDir: string },
): Promise<readonly AccessToken[]> {
  const known = await Promise.all(
    configured.map(async ({ principal, roles, ...proof }, index) => {
      const place = `server.tokens[${index}]`;
      return { caller: Object.freeze({ principal, roles }), digest: await digestOf(proof, place) };
    }),
  );
  if (new Set(known.map(({ digest }) => digest.toString('hex'))).size === known.length) return known;
  throw invalid('two entries of server.tokens have the same token');

  async function digestOf(
    { token, tokenFile, tokenSha256 }: Omit<AccessTokenConfig, 'principal' | 'roles'>,
    place: string,
  ) {
    if ([token, tokenFile, tokenSha256].filter((given) => given !== undefined).length !== 1) {
      throw invalid(`${place} needs exactly one of "token", "tokenFile" and "tokenSha256"`);
    }
    if (tokenSha256 !== undefined) return Buffer.from(tokenSha256, 'hex');
    const secret = token === undefined ? await readSecret(resolve(baseDir, tokenFile ?? ''), place) : env[token.$env];
    if (secret === undefined) throw invalid(`${place}: the environment variable ${token?.$env} is not set`);
    if (secret.length < minCharacters) throw invalid(`${place} must have at least ${minCharacters} characters`);
    return sha256(secret);
  }
}

/** Returns the caller of an access token. Takes the same time for every token, known or not. */
export function callerOf(presented: string, accessTokens: readonly AccessToken[]): Caller | undefined {
  const digest = sha256(presented);
  let found: Caller | undefined;
  for (const known of accessTokens) if (timingSafeEqual(digest, known.digest)) found = known.caller;
  return found;
}

async function readSecret(path: string, place: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new KernelError('E_CONFIG_INVALID', `${place}.tokenFile cannot be read`, { cause });
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function invalid(message: string): KernelError {
  return new KernelError('E_CONFIG_INVALID', message);
}
