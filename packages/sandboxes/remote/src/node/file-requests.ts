import type { ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import { PassThrough, Readable, pipeline } from 'node:stream';
import type { SandboxFile } from '@ravi/kernel';
import type { RunDescription } from '../protocol/messages.ts';

/** Files of a run whose content is on the server. */
export interface FileRequests {
  /** The files, as the sandbox of the node receives them. */
  readonly files: readonly SandboxFile[];
  /** Takes the stream that the server sends a file over. */
  deliver(index: number, stream: ServerHttp2Stream): void;
  /** The server cannot read a file. */
  fail(index: number): void;
  /** Ends all requests that wait. */
  close(): void;
}

/** Creates the files of a run; `request` asks the server for the content of one. Each is sent over a stream of its own. */
export function createFileRequests(
  descriptions: RunDescription['files'],
  request: (index: number) => void,
): FileRequests {
  const waiting = new Map<number, PromiseWithResolvers<ReadableStream<Uint8Array>>>();

  return {
    files: descriptions.map(({ path, bytes }, index) => ({ path, bytes, open: () => open(index) })),
    deliver(index, stream) {
      const opened = take(index);
      if (opened === undefined) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
      const content = new PassThrough();
      // The error of a broken stream is also that of its reader.
      pipeline(stream, content, () => {
        if (!stream.destroyed) stream.respond({ ':status': 204 }, { endStream: true });
      });
      opened.resolve(Readable.toWeb(content) as ReadableStream<Uint8Array>);
    },
    fail: (index) => take(index)?.reject(new Error('The server cannot read the file')),
    close() {
      for (const index of Array.from(waiting.keys())) take(index)?.reject(new Error('The run has ended'));
    },
  };

  function open(index: number): Promise<ReadableStream<Uint8Array>> {
    if (waiting.has(index)) return Promise.reject(new Error('The file is being opened already'));
    const opened = Promise.withResolvers<ReadableStream<Uint8Array>>();
    waiting.set(index, opened);
    request(index);
    return opened.promise;
  }

  function take(index: number): PromiseWithResolvers<ReadableStream<Uint8Array>> | undefined {
    const opened = waiting.get(index);
    waiting.delete(index);
    return opened;
  }
}
