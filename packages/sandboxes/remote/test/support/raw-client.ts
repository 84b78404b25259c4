import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import type { TestFiles } from '@ravi/sandbox-testing';
import { encodeFrame } from '@ravi/sandbox-kit';
import { startRecord } from '../../src/protocol/messages.ts';
import type { RunDescription } from '../../src/protocol/messages.ts';
import { requestOf } from './fake-sandbox.ts';

/** A client that does what a test says, and nothing on its own. */
export interface RawClient extends Disposable {
  readonly session: ClientHttp2Session;
  /** Opens a run and sends `frames`; nothing is read. */
  run(...frames: readonly (string | Buffer)[]): ClientHttp2Stream;
}

/** Connects to a node with the certificate of a server. */
export function openRawClient(port: number, files: TestFiles): RawClient {
  const [ca, cert, key] = [files.ca, files.cert, files.key].map((path) => readFileSync(path));
  const session = connect(`https://localhost:${port}`, { ca, cert, key });
  session.on('error', () => {});
  return {
    session,
    run(...frames) {
      const stream = session.request({ ':method': 'POST', ':path': '/runs' });
      stream.on('error', () => {});
      for (const frame of frames) stream.write(typeof frame === 'string' ? encodeFrame(frame) : frame);
      return stream;
    },
    [Symbol.dispose]: () => session.destroy(),
  };
}

/** The record that starts a run of `code`. */
export function startOf(code: string, changes: Partial<RunDescription> = {}): string {
  const { language, principal, limits, prelude } = requestOf();
  return startRecord({ language, principal, limits, files: [], marksTurns: false, ...changes }, prelude, code);
}

/** Waits until a stream is closed; returns the code of its end. */
export async function closed(stream: ClientHttp2Stream): Promise<number | undefined> {
  if (!stream.destroyed) await new Promise((resolve) => stream.once('close', resolve));
  return stream.rstCode;
}
