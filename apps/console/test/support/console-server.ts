import { createAdaptorServer } from '@hono/node-server';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createConsoleHandler } from '../../src/index.ts';
import type { ConsoleOptions } from '../../src/index.ts';
import type { ApiDouble } from './api-double.ts';
import { openApiDouble } from './api-double.ts';

/** The built console and an API, served by a real HTTP server. */
export interface ConsoleServer extends AsyncDisposable {
  /** Of the console, without a slash at its end. */
  readonly url: string;
  readonly api: ApiDouble;
}

/** Starts a server on a free port, with the console below `basePath`. */
export async function startConsoleServer({
  folder,
  basePath = '/',
}: Pick<ConsoleOptions, 'folder' | 'basePath'>): Promise<ConsoleServer> {
  const api = openApiDouble();
  const consoleHandler = createConsoleHandler({ basePath, ...(folder === undefined ? {} : { folder }) });
  api.app.notFound(({ req }) => consoleHandler.fetch(req.raw));
  const server = createAdaptorServer({ fetch: api.app.fetch }) as Server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${basePath === '/' ? '' : basePath}`,
    api,
    async [Symbol.asyncDispose]() {
      api.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
