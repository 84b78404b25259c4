import { SdkError, SdkErrorCode, serializeMessage } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { KernelError } from '@ravi/kernel';
import { jsonTextExcess } from '@ravi/source-kit';
import { endServer, startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import type { StdioServerOptions } from '../options.ts';
import { isRequest, messageOf, withCarriedParts } from './message-kind.ts';
import { tooLongMessage, tooManyMessages, tooManyRequests } from './wire-limits.ts';
import type { Violation, WireLimits } from './wire-limits.ts';

const newLine = 0x0a;
/** Lines that are not messages, such as logs of a server that writes them to the wrong stream. */
const maxStrayLines = 1_000;
const maxStderrCharacters = 2_000;

/**
 * Transport over the standard streams of a child process. Unlike the one of the SDK it passes on no environment, ends the whole process
 * group, and checks each line before it is parsed.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioServerOptions;
  readonly #wire: WireLimits;
  readonly #onViolation: Violation;
  #server: ServerProcess | undefined;
  #parts: Buffer[] = [];
  #bytes = 0;
  #strayLines = 0;
  #stderr = '';
  #isClosed = false;

  constructor(options: StdioServerOptions, wire: WireLimits, onViolation: Violation) {
    this.#options = options;
    this.#wire = wire;
    this.#onViolation = onViolation;
    for (const [name, value] of Object.entries(options.env ?? {})) wire.secrets.add(name, value);
  }

  /** Id of the process. Together with `stderr` it tells the SDK that this is a transport over standard streams. */
  get pid(): number | null {
    return this.#server?.pid ?? null;
  }

  /** Always `null`: the transport reads the error stream itself. */
  get stderr(): null {
    return null;
  }

  /** Last text that the server wrote to its error stream, for an operator. */
  get lastWords(): string {
    return this.#stderr;
  }

  start(): Promise<void> {
    const server = startServer(this.#options);
    this.#server = server;
    server.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    server.stderr.setEncoding('utf8');
    server.stderr.on('data', (text: string) => {
      this.#stderr = `${this.#stderr}${text}`.slice(-maxStderrCharacters);
    });
    // A write to a server that has ended fails here; the end itself is reported once, below.
    for (const stream of [server.stdin, server.stdout, server.stderr])
      stream.on('error', (error) => this.onerror?.(error));
    // `close` comes late or never when a process that the server started keeps the streams open.
    server.once('exit', () => void this.close());
    return new Promise((resolve, reject) => {
      server.once('spawn', resolve);
      server.once('error', (cause: NodeJS.ErrnoException) => {
        const why = cause.code === 'ENOENT' ? 'it was not found' : `it could not be started (${cause.code})`;
        reject(new KernelError('E_SOURCE_UNAVAILABLE', `The command ${this.#options.command}: ${why}`, { cause }));
        this.#finish();
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const server = this.#server;
    if (server === undefined || this.#isClosed || !server.stdin.writable)
      throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    if (isRequest(message)) this.#wire.rate.expectAnswer();
    if (server.stdin.write(serializeMessage(message))) return;
    // The server may end before it reads.
    await new Promise<void>((resolve) => {
      const done = (): void => {
        server.stdin.off('drain', done);
        server.off('exit', done);
        resolve();
      };
      server.stdin.once('drain', done);
      server.once('exit', done);
    });
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#finish();
    if (server !== undefined) await endServer(server);
  }

  #finish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parts = [];
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    let start = 0;
    while (!this.#isClosed) {
      const end = chunk.indexOf(newLine, start);
      const part = chunk.subarray(start, end === -1 ? undefined : end);
      this.#bytes += part.length;
      if (this.#bytes > this.#wire.maxBytes) {
        return this.#onViolation(tooLongMessage(this.#wire));
      }
      if (part.length > 0) this.#parts.push(part);
      if (end === -1) return;
      const line = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts, this.#bytes);
      this.#parts = [];
      this.#bytes = 0;
      start = end + 1;
      if (line.length > 0) this.#readLine(line);
    }
  }

  #readLine(line: Buffer): void {
    if (!this.#wire.rate.count()) return this.#onViolation(tooManyMessages(this.#wire));
    let text: string;
    try {
      text = this.#wire.decoder.decode(line);
    } catch {
      return this.#onViolation('sent a message that is not UTF-8');
    }
    const excess = jsonTextExcess(text, this.#wire);
    if (excess !== undefined) return this.#onViolation(`sent a message that ${excess}`);
    const message = readLine(this.#wire.secrets.hide(text));
    if (message === 'invalid') return this.#onViolation('sent a message that is not valid');
    if (message !== 'stray') {
      if (isRequest(message) && !this.#wire.requestRate.count()) return this.#onViolation(tooManyRequests(this.#wire));
      return this.onmessage?.(withCarriedParts(message));
    }
    if (++this.#strayLines > maxStrayLines)
      this.#onViolation(`sent more than ${maxStrayLines} lines that are not messages`);
  }
}

// A line without the mark of the protocol is a log. One with it that cannot be read may be the answer to a call, which would wait.
function readLine(text: string): JSONRPCMessage | 'stray' | 'invalid' {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text.includes('"jsonrpc"') ? 'invalid' : 'stray';
  }
  const message = messageOf(value);
  if (message !== undefined) return message;
  return typeof value === 'object' && value !== null && 'jsonrpc' in value ? 'invalid' : 'stray';
}
