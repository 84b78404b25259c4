// A real MCP server that needs OAuth, with its authorization server, on one loopback port.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

/** Faults and variations; a test may change them at any time. */
export interface ProtectedServerOptions {
  /** Added to the metadata of the resource, or replaces parts of it. */
  resource: Record<string, unknown>;
  /** Added to the metadata of the authorization server, or replaces parts of it. */
  metadata: Record<string, unknown>;
  /** Seconds; absent for a token that does not say when it expires. */
  expiresIn: number | undefined;
  hasRefreshTokens: boolean;
  /** Scope that a call of `whoami` needs. */
  neededScope: string | undefined;
  /** Path whose responses are replaced. */
  broken: { path: string; status: number; body: string; location?: string } | undefined;
}

interface Grant {
  readonly subject: string;
  readonly clientId: string;
  readonly scope: string;
  family: string;
}

/** Running server with what it has seen. */
export interface ProtectedServer extends AsyncDisposable, ProtectedServerOptions {
  readonly url: string;
  readonly issuer: string;
  /** Requests: method and path. */
  readonly requests: string[];
  /** Bodies of the requests to the token endpoint. */
  readonly tokenRequests: URLSearchParams[];
  readonly revoked: string[];
  /** Everything secret that it has issued. */
  readonly issued: string[];
  /** Clients that it knows. */
  readonly clients: Map<string, { readonly redirect_uris: readonly string[] }>;
  /** Signs in as a person and returns the query with which the browser comes back. */
  visit(url: string, subject: string): Promise<URLSearchParams>;
  /** True if an `Authorization` header has an access token that is valid now. */
  isValid(authorization: string | undefined): boolean;
  /** Makes every access token invalid. */
  expireTokens(): void;
}

/** Starts the server. */
export async function startProtectedServer(given: Partial<ProtectedServerOptions> = {}): Promise<ProtectedServer> {
  const caller = new AsyncLocalStorage<Grant>();
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'protected', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.registerTool('whoami', { description: 'Returns who calls.' }, () => ({
      content: [{ type: 'text', text: caller.getStore()?.subject ?? 'unknown' }],
    }));
    return server;
  });
  const codes = new Map<string, Grant & { readonly challenge: string; readonly redirectUri: string }>();
  const access = new Map<string, Grant>();
  const refresh = new Map<string, Grant>();
  const deadFamilies = new Set<string>();

  const server = createServer((incoming, outgoing) => {
    void respond(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: ProtectedServer = {
    resource: {},
    metadata: {},
    expiresIn: 3_600,
    hasRefreshTokens: true,
    neededScope: undefined,
    broken: undefined,
    ...given,
    url: `${issuer}/mcp`,
    issuer,
    requests: [],
    tokenRequests: [],
    revoked: [],
    issued: [],
    clients: new Map(),
    async visit(url, subject) {
      const response = await fetch(`${url}&as=${subject}`, { redirect: 'manual' });
      return new URL(response.headers.get('location') ?? '').searchParams;
    },
    isValid: (authorization = '') => access.has(authorization.replace(/^Bearer /i, '')),
    expireTokens: () => access.clear(),
    async [Symbol.asyncDispose]() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return state;

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', issuer);
    state.requests.push(`${incoming.method} ${url.pathname}`);
    const body = await text(incoming);
    const { broken } = state;
    if (broken?.path === url.pathname) {
      const headers = broken.location === undefined ? {} : { location: broken.location };
      return void outgoing
        .writeHead(broken.status, { 'content-type': 'application/json', ...headers })
        .end(broken.body);
    }
    switch (url.pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return json(outgoing, 200, {
          resource: state.url,
          authorization_servers: [issuer],
          scopes_supported: ['read'],
          ...state.resource,
        });
      case '/.well-known/oauth-authorization-server':
        return json(outgoing, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
          revocation_endpoint: `${issuer}/revoke`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
          authorization_response_iss_parameter_supported: true,
          ...state.metadata,
        });
      case '/register': {
        const client_id = `client-${state.clients.size + 1}`;
        const asked = JSON.parse(body) as { readonly redirect_uris: readonly string[] };
        state.clients.set(client_id, asked);
        return json(outgoing, 201, { ...asked, client_id });
      }
      case '/authorize':
        return authorize(url.searchParams, outgoing);
      case '/token':
        return token(new URLSearchParams(body), outgoing);
      case '/revoke':
        state.revoked.push(new URLSearchParams(body).get('token') ?? '');
        return json(outgoing, 200, {});
      case '/mcp':
        return serve(incoming, outgoing, body);
      default:
        return json(outgoing, 404, {});
    }
  }

  function authorize(query: URLSearchParams, outgoing: ServerResponse): void {
    const redirectUri = query.get('redirect_uri') ?? '';
    const client = state.clients.get(query.get('client_id') ?? '');
    const isKnown = client?.redirect_uris.includes(redirectUri) === true;
    if (!isKnown || query.get('code_challenge_method') !== 'S256' || query.get('resource') !== state.url) {
      return json(outgoing, 400, { error: 'invalid_request' });
    }
    const code = secret('code');
    codes.set(code, {
      subject: query.get('as') ?? '',
      clientId: query.get('client_id') ?? '',
      scope: query.get('scope') ?? '',
      family: secret('family'),
      challenge: query.get('code_challenge') ?? '',
      redirectUri,
    });
    const back = new URL(redirectUri);
    back.search = String(new URLSearchParams({ code, state: query.get('state') ?? '', iss: issuer }));
    outgoing.writeHead(302, { location: back.href }).end();
  }

  function token(body: URLSearchParams, outgoing: ServerResponse): void {
    state.tokenRequests.push(body);
    const clientId = body.get('client_id') ?? '';
    if (!state.clients.has(clientId))
      return json(outgoing, 401, { error: 'invalid_client', error_description: 'gone' });
    if (body.get('resource') !== state.url) return json(outgoing, 400, { error: 'invalid_target' });
    if (body.get('grant_type') === 'refresh_token') {
      const given = body.get('refresh_token') ?? '';
      const grant = refresh.get(given);
      refresh.delete(given);
      // A refresh token that is used twice was stolen: all tokens of its family end.
      if (grant === undefined) for (const family of [given.split('~')[1] ?? '']) deadFamilies.add(family);
      if (grant === undefined || deadFamilies.has(grant.family)) return json(outgoing, 400, { error: 'invalid_grant' });
      return issue(grant, outgoing);
    }
    const code = codes.get(body.get('code') ?? '');
    codes.delete(body.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const isValid = code?.clientId === clientId && code.redirectUri === body.get('redirect_uri');
    if (code === undefined || !isValid || code.challenge !== challenge) {
      return json(outgoing, 400, { error: 'invalid_grant' });
    }
    return issue(code, outgoing);
  }

  function issue(grant: Grant, outgoing: ServerResponse): void {
    const accessToken = secret('access');
    access.set(accessToken, grant);
    const refreshToken = `${secret('refresh')}~${grant.family}`;
    if (state.hasRefreshTokens) refresh.set(refreshToken, grant);
    json(outgoing, 200, {
      access_token: accessToken,
      token_type: 'Bearer',
      scope: grant.scope,
      ...(state.expiresIn === undefined ? {} : { expires_in: state.expiresIn }),
      ...(state.hasRefreshTokens ? { refresh_token: refreshToken } : {}),
    });
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse, body: string): Promise<void> {
    const bearer = (incoming.headers.authorization ?? '').replace(/^Bearer /, '');
    const grant = access.get(bearer);
    if (grant === undefined || deadFamilies.has(grant.family)) {
      const challenge = `Bearer resource_metadata="${issuer}/.well-known/oauth-protected-resource/mcp"`;
      return void outgoing.writeHead(401, { 'www-authenticate': challenge }).end();
    }
    const { neededScope } = state;
    if (neededScope !== undefined && body.includes('whoami') && !grant.scope.split(' ').includes(neededScope)) {
      const challenge = `Bearer error="insufficient_scope", scope="${neededScope}"`;
      return void outgoing.writeHead(403, { 'www-authenticate': challenge }).end();
    }
    const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const method = incoming.method ?? 'GET';
    const request = new Request(state.url, { method, headers, ...(method === 'POST' ? { body } : {}) });
    const response = await caller.run(grant, () => handler.fetch(request));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body !== null) for await (const chunk of response.body) outgoing.write(chunk);
    outgoing.end();
  }

  function secret(kind: string): string {
    const value = `${kind}-${randomBytes(16).toString('hex')}`;
    state.issued.push(value);
    return value;
  }
}

function json(outgoing: ServerResponse, status: number, body: object): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
