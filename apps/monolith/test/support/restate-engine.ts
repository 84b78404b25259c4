import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { startRestate } from '@ravi/engine-testing';
import type { RestateForTests } from '@ravi/engine-testing';
import { test } from 'vitest';
import type { StoreCase } from './state-stores.ts';

/** A Restate server, and everything that the servers of a test send to it. */
export interface RecordedRestate extends AsyncDisposable {
  readonly restate: RestateForTests;
  /** Bodies of the requests, as text. */
  readonly sent: readonly string[];
  /** State in SQLite whose runs Restate distributes. */
  readonly store: StoreCase;
}

/** Starts a Restate server after a proxy that records requests to its ingress. */
export async function startRecordedRestate(): Promise<RecordedRestate> {
  const restate = await startRestate();
  const sent: string[] = [];
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request).catch(() => Buffer.alloc(0));
    sent.push(`${request.url} ${body.toString()}`);
    const { method = 'POST', url = '/' } = request;
    const type = request.headers['content-type'] ?? 'application/json';
    try {
      const reply = await fetch(`${restate.ingressUrl}${url}`, { method, body, headers: { 'content-type': type } });
      response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? type });
      response.end(Buffer.from(await reply.arrayBuffer()));
    } catch {
      response.destroy();
    }
  };
  const proxy = createServer((request, response) => void forward(request, response));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const ingressUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    restate,
    sent,
    store: {
      name: 'SQLite with Restate',
      plugin: (folder = '.') => ({
        stateStore: { use: '@ravi/state-sqlite', file: join(folder, 'state.db') },
        runEngine: {
          use: '@ravi/engine-restate',
          ingressUrl,
          adminUrl: restate.adminUrl,
          service: `engine-${crypto.randomUUID()}`,
          heartbeatMs: 3_000,
        },
      }),
      test,
    },
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      proxy.close();
      await restate[Symbol.asyncDispose]();
    },
  };
}
