import type { Readable, Writable } from 'node:stream';
import type { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from '../create-mcp-server.ts';
import type { McpServerOptions } from '../create-mcp-server.ts';
import type { McpGateway } from '../gateway.ts';
import { createStdioTransport } from './stdio-transport.ts';

/** Options of {@link serveMcpStdio}. */
export interface McpStdioOptions extends Pick<McpServerOptions, 'stateKey' | 'mode'> {
  /** Access of the client at the other end. */
  readonly gateway: McpGateway;
  readonly input: Readable;
  /** Carries messages of the protocol and nothing else. */
  readonly output: Writable;
  /** Largest message of the client, in bytes. Default: 16 MiB. */
  readonly maxMessageBytes?: number;
  /** Requests that the client may have in progress. Default: 200. */
  readonly maxRequests?: number;
  readonly onError?: (error: Error) => void;
}

/** A connection over standard input and output. Disposing it ends the connection; runs continue. */
export interface McpStdioConnection extends AsyncDisposable {
  /** Resolves when the client has closed its end. */
  readonly closed: Promise<void>;
  /** Tells the client that the list of tools has changed. */
  toolsChanged(): void;
}

/** Serves the protocol to one client over streams, in the generation that the client speaks. */
export function serveMcpStdio(options: McpStdioOptions): McpStdioConnection {
  const { gateway, input, output, stateKey, mode, onError } = options;
  const { maxMessageBytes = 16_777_216, maxRequests = 200 } = options;
  const closed = new Promise<void>((resolve) => {
    input.once('end', resolve);
    input.once('close', resolve);
    output.once('error', () => resolve());
  });
  let server: Server | undefined;
  const handle = serveStdio(
    ({ era }) =>
      (server = createMcpServer({ gatewayOf: () => gateway, stateKey, era, ...(mode === undefined ? {} : { mode }) })),
    {
      transport: createStdioTransport({ input, output, maxMessageBytes, maxRequests }),
      ...(onError === undefined ? {} : { onerror: onError }),
    },
  );
  return {
    closed,
    toolsChanged() {
      server?.sendToolListChanged().catch(() => {});
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}
