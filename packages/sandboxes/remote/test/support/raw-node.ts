import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { Http2SecureServer, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { encodeFrame } from '@ravi/sandbox-kit';
import type { TestFiles } from '@ravi/sandbox-testing';
import { fakeSupport } from './fake-sandbox.ts';

/** A node that sends what a test says: a compromised one. */
export interface RawNode extends AsyncDisposable {
  readonly address: string;
}

/** Sends one frame, or bytes as they are. */
export type SendRaw = (frame: string | Buffer) => void;

/** Starts a node that calls `onRun` for each run. Nothing of a run is read unless that does. */
export async function startRawNode(
  files: TestFiles,
  onRun: (send: SendRaw, stream: ServerHttp2Stream) => void,
  report: object = {},
): Promise<RawNode> {
  const [ca, cert, key] = [files.ca, files.cert, files.key].map((path) => readFileSync(path));
  const server: Http2SecureServer = createSecureServer({ ca, cert, key, requestCert: true });
  const sessions = new Set<ServerHttp2Session>();
  const health = { protocol: 1, status: 'ok', sandbox: 'raw', supports: fakeSupport, runs: 0, maxRuns: 100, ...report };
  server.on('session', (session) => {
    session.on('error', () => {});
    sessions.add(session);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    if (headers[':path'] === '/health') {
      stream.respond({ ':status': 200 });
      stream.end(JSON.stringify(health));
      return;
    }
    stream.respond({ ':status': 200, 'ravi-run': 'r' });
    onRun((frame) => void stream.write(typeof frame === 'string' ? encodeFrame(frame) : frame), stream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
