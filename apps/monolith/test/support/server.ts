import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { RaviConfig } from '@ravi/host';
import type { CompleteStateStore } from '@ravi/kernel';
import { openMonolith, serve, tokens } from '@ravi/monolith';
import type { HttpServer, Monolith, MonolithOptions } from '@ravi/monolith';
import { createInstallation } from './installation.ts';
import type { TestInstallation } from './installation.ts';
import { checkResponse } from './response-check.ts';

/** A response with its parsed JSON body. */
export interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- each test asserts what it reads of it
  readonly body: any;
}

/** A whole server on a free port, composed like `main`. */
export interface TestServer extends AsyncDisposable {
  readonly installation: TestInstallation;
  readonly monolith: Monolith;
  readonly url: string;
  get(path: string, headers?: OutgoingHttpHeaders): Promise<Answer>;
  /** Sends JSON, or text unchanged. */
  post(path: string, body: unknown, headers?: OutgoingHttpHeaders): Promise<Answer>;
  /** Ends the server and keeps its installation. */
  shutDown(): Promise<void>;
  /** Runs a script over HTTP. */
  chain(code: string, policy?: object): Promise<Answer>;
}

/** Returns the state store of a process that has one. */
export function stateStoreOf({ container }: Monolith): CompleteStateStore {
  const store = container.resolve(tokens.stateStore);
  assert.ok(store);
  return store;
}

/** Opens a server over a new installation. */
export async function startServer(
  config: RaviConfig = {},
  files: Readonly<Record<string, string>> = {},
  options: Partial<MonolithOptions> = {},
): Promise<TestServer> {
  await using stack = new AsyncDisposableStack();
  const installation = stack.use(await createInstallation(config, files));
  const process = stack.use(new AsyncDisposableStack());
  const { folder: cwd, configPath } = installation;
  const monolith = process.use(await openMonolith({ cwd, configPath, env: {}, ...options }));
  const server: HttpServer = process.use(await serve(monolith, { port: 0, graceMs: 0 }));
  const opened = stack.move();

  // Not fetch, which sets Host and Origin itself; these tests choose them.
  const send = (method: string, path: string, headers: OutgoingHttpHeaders, body?: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(`${server.url}${path}`, { method, headers, agent: false }, (response) => {
        text(response).then((content) => {
          const { statusCode: status = 0 } = response;
          const body: unknown = JSON.parse(content);
          checkResponse(method, path, status, body);
          resolve({ status, body });
        }, reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  const post: TestServer['post'] = (path, body, headers) =>
    send(
      'POST',
      path,
      { 'content-type': 'application/json', ...headers },
      typeof body === 'string' ? body : JSON.stringify(body),
    );
  return {
    installation,
    monolith,
    url: server.url,
    get: (path, headers = {}) => send('GET', path, headers),
    post,
    chain: (code, policy) => post('/v1/chains', policy === undefined ? { code } : { code, policy }),
    shutDown: () => process.disposeAsync(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
