import { createHash } from 'node:crypto';
import type { RaviConfig } from '@ravi/host';
import { startServer } from './server.ts';
import type { TestServer } from './server.ts';

/** Access tokens of callers: two with role run, one approver, one admin. */
export const secrets: Readonly<Record<CallerName, string>> = {
  ada: 'a'.repeat(32),
  bob: 'b'.repeat(32),
  eve: 'e'.repeat(32),
  root: 'r'.repeat(32),
};

/** Principal of an access token. */
export type CallerName = 'ada' | 'bob' | 'eve' | 'root';

/** SHA-256 of a token as in a configuration. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the authorization header of a caller. */
export function as(name: CallerName): { readonly authorization: string } {
  return { authorization: `Bearer ${secrets[name]}` };
}

/** Starts a server with a state store and {@link secrets}, configured in each possible way. */
export function startSecuredServer(
  server: RaviConfig['server'] = {},
  files: Readonly<Record<string, string>> = {},
  more: Pick<RaviConfig, 'approvals' | 'channels' | 'runs'> = {},
): Promise<TestServer> {
  const config: RaviConfig = {
    approvals: { mode: 'pause' },
    ...more,
    server: {
      requestsPerMinute: 1_000_000,
      tokens: [
        { principal: 'ada', token: { $env: 'ADA' }, roles: ['run'] },
        { principal: 'bob', tokenFile: './bob.txt', roles: ['run'] },
        { principal: 'eve', tokenSha256: sha256(secrets.eve), roles: ['approve'] },
        { principal: 'root', tokenSha256: sha256(secrets.root), roles: ['admin'] },
      ],
      ...server,
    },
  };
  const options = { isServer: true, env: { ADA: secrets.ada } };
  return startServer(config, { 'bob.txt': `${secrets.bob}\n`, ...files }, options);
}
