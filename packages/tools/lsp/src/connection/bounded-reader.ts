import type { Readable } from 'node:stream';
import { AbstractMessageReader } from 'vscode-jsonrpc/node';
import type { DataCallback, Disposable, Message } from 'vscode-jsonrpc/node';

const maxHeaderBytes = 4096;
const separator = '\r\n\r\n';

/** Reads the messages of a server, each up to a limit: what a server announces is never allocated before it has come. */
export class BoundedReader extends AbstractMessageReader {
  readonly #input: Readable;
  readonly #maxBytes: number;

  constructor(input: Readable, maxBytes: number) {
    super();
    this.#input = input;
    this.#maxBytes = maxBytes;
  }

  listen(callback: DataCallback): Disposable {
    const frames = new Frames(this.#maxBytes, callback);
    const onData = (chunk: Buffer): void => {
      try {
        frames.take(chunk);
      } catch (error) {
        this.#input.off('data', onData);
        this.fireError(error);
      }
    };
    const onEnd = (): void => this.fireClose();
    this.#input.on('data', onData);
    this.#input.once('close', onEnd);
    return { dispose: () => void this.#input.off('data', onData).off('close', onEnd) };
  }
}

class Frames {
  readonly #maxBytes: number;
  readonly #callback: DataCallback;
  #header = '';
  #left = -1;
  #body: Buffer[] = [];

  constructor(maxBytes: number, callback: DataCallback) {
    this.#maxBytes = maxBytes;
    this.#callback = callback;
  }

  take(chunk: Buffer): void {
    let rest = chunk;
    while (rest.byteLength > 0) rest = this.#left === -1 ? this.#takeHeader(rest) : this.#takeBody(rest);
  }

  #takeHeader(chunk: Buffer): Buffer {
    // Only as much as a header may have, so that the text stays short.
    const known = this.#header.length;
    const text = this.#header + chunk.subarray(0, maxHeaderBytes).toString('latin1');
    const end = text.indexOf(separator);
    if (end === -1) {
      if (text.length > maxHeaderBytes) throw new Error(`a header has more than ${maxHeaderBytes} bytes`);
      this.#header = text;
      return chunk.subarray(text.length - known);
    }
    const length = /^content-length: *(\d{1,15})$/im.exec(text.slice(0, end))?.[1];
    if (length === undefined) throw new Error('a header has no Content-Length');
    if (Number(length) > this.#maxBytes) throw new Error(`a message has ${length} bytes, more than ${this.#maxBytes}`);
    this.#header = '';
    this.#left = Number(length);
    this.#body = [];
    if (this.#left === 0) throw new Error('a message is empty');
    return chunk.subarray(end + separator.length - known);
  }

  #takeBody(chunk: Buffer): Buffer {
    const part = chunk.subarray(0, this.#left);
    this.#body.push(part);
    this.#left -= part.byteLength;
    if (this.#left === 0) {
      this.#left = -1;
      const message = JSON.parse(Buffer.concat(this.#body).toString('utf8')) as unknown;
      this.#body = [];
      if (typeof message !== 'object' || message === null || Array.isArray(message))
        throw new Error('a message is not an object');
      this.#callback(message as Message);
    }
    return chunk.subarray(part.byteLength);
  }
}
