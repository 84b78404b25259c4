import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { KernelError } from '@ravi/kernel';
import type { Clock, Logger } from '@ravi/kernel';
import { spawnTree } from '@ravi/tools-kit';
import { CancellationTokenSource, createMessageConnection, NullLogger, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import type { LspLimits, LspServerOptions } from '../options.ts';
import { answerServer } from './answer-server.ts';
import { BoundedReader } from './bounded-reader.ts';
import { clientCapabilities } from './client-capabilities.ts';
import type { InitializeResult } from './client-capabilities.ts';
import { PublishedDiagnostics } from './published-diagnostics.ts';

/** Time in which a server may end itself and its helpers. */
const graceMs = 1_000;

/** Options of {@link startServer}. */
export interface StartOptions {
  readonly name: string;
  readonly server: LspServerOptions;
  /** Way to install the server, for the message when it is missing. */
  readonly install?: string | undefined;
  /** Absolute path of the workspace. */
  readonly root: string;
  readonly limits: Required<LspLimits>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Running language server of one workspace. */
export interface LanguageServer {
  readonly capabilities: InitializeResult['capabilities'];
  readonly diagnostics: PublishedDiagnostics;
  /** Resolves with the reason when the server has ended, or broke the protocol and was ended. */
  readonly ended: Promise<string>;
  /**
   * Sends a request and waits for its answer.
   * @throws KernelError `E_LSP_TIMEOUT`, `E_LSP_CRASHED`, `E_LSP_FAILED` with the message of the server, `E_CANCELLED`
   */
  request(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  notify(method: string, params: object): Promise<void>;
  /** Ends the server and everything that it started. */
  end(): Promise<void>;
}

/**
 * Starts a server and initializes it.
 * @throws KernelError `E_LSP_MISSING`, `E_LSP_TIMEOUT`, `E_LSP_CRASHED`, `E_CANCELLED`
 */
export async function startServer(options: StartOptions, signal: AbortSignal): Promise<LanguageServer> {
  const { name, server, install, root, limits, clock, logger } = options;
  const [program = '', ...args] = server.command;
  const tree = spawnTree(program, args, { cwd: root, env: environmentOf(server) });
  const { child } = tree;
  const spawned = await once(child, 'spawn').catch((error: unknown) => error as NodeJS.ErrnoException);
  if (!Array.isArray(spawned)) throw missing(name, program, install, spawned);

  const ended = Promise.withResolvers<string>();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-2_000);
  });
  child.stdin.on('error', () => {});
  const reader = new BoundedReader(child.stdout, limits.messageBytes);
  const connection = createMessageConnection(reader, new StreamMessageWriter(child.stdin), NullLogger);
  const diagnostics = new PublishedDiagnostics();
  let isEnding = false;
  const end = async (reason: string): Promise<void> => {
    if (!isEnding) {
      isEnding = true;
      ended.resolve(reason);
      connection.dispose();
    }
    await tree.end(graceMs);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  };
  reader.onError((error) => void end(`it broke the protocol: ${error.message}`));
  child.once('exit', (code, by) => {
    if (!isEnding) logger.warn('a language server ended', { server: name, code, signal: by, stderr });
    void end(code === null ? `it was ended by ${by ?? 'a signal'}` : `it ended with the code ${code}`);
  });
  connection.onError(([error]) => void end(`it broke the protocol: ${error.message}`));
  answerServer(connection, { root, settings: server.settings ?? {}, diagnostics });
  connection.listen();

  const request = (method: string, params: object, caller: AbortSignal, limitMs = limits.requestMs): Promise<unknown> =>
    ask({ connection, ended: ended.promise, name, clock }, method, params, caller, limitMs);
  const notify = async (method: string, params: object): Promise<void> => {
    if (!isEnding) await connection.sendNotification(method, params);
  };
  const uri = pathToFileURL(root).href;
  try {
    const answer = await request(
      'initialize',
      {
        processId: process.pid,
        clientInfo: { name: 'ravi' },
        rootUri: uri,
        rootPath: root,
        workspaceFolders: [{ uri, name: 'workspace' }],
        capabilities: clientCapabilities,
        initializationOptions: server.initializationOptions ?? {},
      },
      signal,
      limits.startMs,
    );
    const capabilities = (answer as Partial<InitializeResult> | null)?.capabilities ?? {};
    await notify('initialized', {});
    return { capabilities, diagnostics, ended: ended.promise, request, notify, end: () => end('it was stopped') };
  } catch (error) {
    await end('it did not start');
    throw error;
  }
}

interface Asked {
  readonly connection: MessageConnection;
  readonly ended: Promise<string>;
  readonly name: string;
  readonly clock: Clock;
}

async function ask(
  { connection, ended, name, clock }: Asked,
  method: string,
  params: object,
  signal: AbortSignal,
  limitMs: number,
): Promise<unknown> {
  const token = new CancellationTokenSource();
  const stopped = Promise.withResolvers<never>();
  const cancel = (): void => stopped.reject(new KernelError('E_CANCELLED', 'The request was cancelled'));
  const late = (): void =>
    stopped.reject(
      new KernelError('E_LSP_TIMEOUT', `The language server ${name} did not answer ${method} within ${limitMs} ms`),
    );
  const timer = clock.setTimer(late, limitMs);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const crashed = ended.then((reason) => Promise.reject(crashError(name, reason)));
  crashed.catch(() => {});
  try {
    const answer = connection.sendRequest(method, params, token.token);
    // It also rejects when the connection is gone, for which `crashed` has the better message.
    const described = answer.catch((error: unknown) =>
      Promise.resolve().then(() => Promise.reject(serverError(name, method, error))),
    );
    return await Promise.race([stopped.promise, crashed, described]);
  } catch (error) {
    token.cancel();
    throw error;
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', cancel);
    token.dispose();
  }
}

function crashError(name: string, reason: string): KernelError {
  return new KernelError('E_LSP_CRASHED', `The language server ${name} is gone: ${reason}`, { retryable: true });
}

function serverError(name: string, method: string, error: unknown): KernelError {
  const text = error instanceof Error ? error.message.slice(0, 500) : 'no reason';
  return new KernelError('E_LSP_FAILED', `The language server ${name} refused ${method}: ${text}`, { cause: error });
}

function missing(
  name: string,
  program: string,
  install: string | undefined,
  error: NodeJS.ErrnoException,
): KernelError {
  const advice = install === undefined ? 'install it' : `install it (${install})`;
  const message = `The language server ${name} is not there: the program ${JSON.stringify(program)} was not found. On the server, ${advice}, or set servers.${name}.command of this tool source`;
  return new KernelError('E_LSP_MISSING', message, { cause: error, hadNoEffect: true });
}

function environmentOf({ environment = {} }: LspServerOptions): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG'].flatMap((key) => {
    const value = process.env[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...Object.fromEntries(kept), ...environment };
}
