import { createHash } from 'node:crypto';
import type { RaviConfig } from '@ravi/host';
import { startServer } from './server.ts';
import type { TestServer } from './server.ts';

/** Tokens of callers: two that run, one that approves, one that may everything. */
export const secrets: Readonly<Record<CallerName, string>> = {
  ada: 'a'.repeat(32),
  bob: 'b'.repeat(32),
  eve: 'e'.repeat(32),
  root: 'r'.repeat(32),
};

/** Who has a token. */
export type CallerName = 'ada' | 'bob' | 'eve' | 'root';

/** As configurations write it. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The header that a caller proves itself with. */
export function as(name: CallerName): { readonly authorization: string } {
  return { authorization: `Bearer ${secrets[name]}` };
}

/** A server that knows {@link secrets}, one by each way to name a token, and keeps what happens. */
export function startSecuredServer(
  server: RaviConfig['server'] = {},
  files: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const config: RaviConfig = {
    chains: { approvals: 'pause' },
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
