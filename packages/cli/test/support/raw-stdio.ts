import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { childEnvironment } from '@ravi/testkit';

const entry = join(import.meta.dirname, '../../src/main.ts');

/** A message as it arrived. */
export interface RawMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A client of `ravi mcp serve` that writes bytes as it likes. */
export interface RawClient extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  /** Every message that has arrived. */
  readonly messages: readonly RawMessage[];
  /** Writes bytes as they are. */
  write(bytes: string | Uint8Array): void;
  /** Writes values as lines of JSON. */
  send(...values: readonly unknown[]): void;
  /** Resolves with the first message that fits, also one that has arrived; rejects when the process ends. */
  next(fits: (message: RawMessage) => boolean): Promise<RawMessage>;
  /** Sends a request and returns its answer. */
  request(id: string | number, method: string, params?: object): Promise<RawMessage>;
  /** Exit code of the process; `null` if a signal ended it. */
  readonly exit: Promise<number | null>;
  /** Everything that the process has written to standard error. */
  errors(): string;
}

/** Options of {@link startRaw}. */
export interface RawClientOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** False for a client that never reads. */
  readonly reads?: boolean;
}

/** Starts `ravi mcp serve` in a folder. Nothing is sent. */
export function startRaw(cwd: string, { args = [], env = {}, reads = true }: RawClientOptions = {}): RawClient {
  const child = spawn(process.execPath, [entry, 'mcp', 'serve', ...args], {
    cwd,
    env: { ...childEnvironment(), ...env },
  });
  const messages: RawMessage[] = [];
  const waiting = new Set<() => void>();
  let errors = '';
  let isOver = false;
  child.stdin.on('error', () => {});
  child.stdout.on('error', () => {});
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const wake = (): void => {
    for (const look of waiting) look();
  };
  if (reads) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      messages.push(JSON.parse(line) as RawMessage);
      wake();
    });
  }
  const exit = new Promise<number | null>((resolve) => {
    child.on('exit', (code) => {
      isOver = true;
      resolve(code);
      wake();
    });
  });

  function next(fits: (message: RawMessage) => boolean): Promise<RawMessage> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = messages.find(fits);
        if (found === undefined && !isOver) return;
        waiting.delete(look);
        if (found === undefined) reject(new Error(`the process has ended: ${errors}`));
        else resolve(found);
      };
      waiting.add(look);
      look();
    });
  }

  const send = (...values: readonly unknown[]): void => {
    child.stdin.write(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  };
  return {
    child,
    messages,
    write: (bytes) => void child.stdin.write(bytes),
    send,
    next,
    request(id, method, params = {}) {
      send({ jsonrpc: '2.0', id, method, params });
      return next((message) => message.id === id && message.method === undefined);
    },
    exit,
    errors: () => errors,
    async [Symbol.asyncDispose]() {
      child.stdin.destroy();
      child.stdout.destroy();
      if (!isOver) child.kill('SIGKILL');
      await exit;
    },
  };
}

/** Opens a connection as a client of 2025-11-25. */
export async function initialize(client: RawClient, capabilities: object = {}): Promise<void> {
  const clientInfo = { name: 'hostile', version: '1' };
  await client.request('init', 'initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
}
