import { KernelError } from '@ravi/kernel';
import type { Clock, Logger, ToolContext } from '@ravi/kernel';
import { withPathLock } from '@ravi/tools-kit';
import type { Workspace } from '@ravi/tools-kit';
import { startServer } from '../connection/language-server.ts';
import type { LanguageServer } from '../connection/language-server.ts';
import { knownServers } from '../options.ts';
import type { LspLimits, LspServerOptions } from '../options.ts';
import { ChangedFiles } from './changed-files.ts';
import { Documents } from './documents.ts';
import { languageOf } from './language-id.ts';

const firstWaitMs = 1_000;
const maxWaitMs = 60_000;
const maxServers = 8;

/** Server of one workspace, ready for a request. */
export interface ReadyServer {
  readonly name: string;
  readonly server: LanguageServer;
  readonly documents: Documents;
  readonly changed: ChangedFiles;
}

interface Slot {
  running: ReadyServer | undefined;
  isStarting: boolean;
  /** Calls that use it or wait for it. */
  users: number;
  /** Failed starts and crashes since the last answer. */
  failures: number;
  /** Milliseconds of the monotonic clock before which it is not started again. */
  notBefore: number;
}

/** Options of {@link ServerPool}. */
export interface ServerPoolOptions {
  readonly servers: ReadonlyMap<string, LspServerOptions>;
  readonly limits: Required<LspLimits>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Servers by workspace and name: started when they are needed, one request at a time, and started again after a crash with growing waits. At most 8 live; the one that was not used for the longest time ends for another. */
export class ServerPool implements AsyncDisposable {
  readonly #options: ServerPoolOptions;
  readonly #slots = new Map<string, Slot>();
  readonly #id = crypto.randomUUID();
  readonly #ending = new Set<Promise<void>>();
  #isDisposed = false;

  constructor(options: ServerPoolOptions) {
    this.#options = options;
  }

  /** Returns the name of the server for a file. @throws KernelError `E_LSP_LANGUAGE` if none is configured for it */
  nameFor(path: string): string {
    for (const [name, { extensions }] of this.#options.servers) {
      if (extensions.some((extension) => path.toLowerCase().endsWith(extension.toLowerCase()))) return name;
    }
    const known = [...this.#options.servers.values()].flatMap(({ extensions }) => extensions).join(', ');
    const message = `No language server is configured for ${JSON.stringify(path)}. Configured are ${known || 'none'}; set "servers" of this tool source`;
    throw new KernelError('E_LSP_LANGUAGE', message, { hadNoEffect: true });
  }

  /** Names of the servers that are configured. */
  get names(): readonly string[] {
    return [...this.#options.servers.keys()];
  }

  /**
   * Runs `work` with a server that knows the files as they are now, while no other work uses it.
   * @throws KernelError `E_LSP_…` if it cannot be started, and those of `work`
   */
  async use<Result>(
    name: string,
    workspace: Workspace,
    signal: AbortSignal,
    work: (ready: ReadyServer) => Promise<Result>,
  ): Promise<Result> {
    const key = `${name}\0${workspace.root}`;
    const slot = this.#slots.get(key) ?? { running: undefined, isStarting: false, users: 0, failures: 0, notBefore: 0 };
    // The order of the slots is that of their last use.
    this.#slots.delete(key);
    this.#slots.set(key, slot);
    slot.users += 1;
    try {
      return await withPathLock(`lsp\0${this.#id}\0${key}`, async () => {
        if (signal.aborted) throw new KernelError('E_CANCELLED', 'The request was cancelled');
        const running = slot.running ?? (await this.#startInRoom(name, workspace, slot, signal));
        await this.#refresh(running);
        const result = await work(running);
        slot.failures = 0;
        return result;
      });
    } finally {
      slot.users -= 1;
    }
  }

  async #startInRoom(name: string, workspace: Workspace, slot: Slot, signal: AbortSignal): Promise<ReadyServer> {
    const live = [...this.#slots].filter(([, each]) => each.running !== undefined || each.isStarting);
    const [key, idle] = live.find(([, { users }]) => users === 0) ?? [];
    if (live.length >= maxServers && idle === undefined) {
      const message = `All ${maxServers} language servers that may run at once are in use. Try again later`;
      throw new KernelError('E_LSP_BUSY', message, { retryable: true, hadNoEffect: true });
    }
    slot.isStarting = true;
    try {
      if (live.length >= maxServers && key !== undefined) await this.#endIdle(key);
      return await this.#start(name, workspace, slot, signal);
    } finally {
      slot.isStarting = false;
    }
  }

  async #endIdle(key: string): Promise<void> {
    const slot = this.#slots.get(key);
    const running = slot?.running;
    if (slot === undefined || running === undefined) return;
    // A server that is not in its slot has not crashed when it ends.
    slot.running = undefined;
    this.#slots.delete(key);
    const ended = running.server.end();
    this.#ending.add(ended);
    await ended.finally(() => this.#ending.delete(ended));
  }

  async #start(name: string, workspace: Workspace, slot: Slot, signal: AbortSignal): Promise<ReadyServer> {
    const { servers, limits, clock, logger } = this.#options;
    const options = servers.get(name);
    if (options === undefined || this.#isDisposed)
      throw new KernelError('E_LSP_LANGUAGE', `There is no language server ${name}`);
    const waitMs = Math.ceil(slot.notBefore - clock.monotonic());
    if (waitMs > 0) {
      const message = `The language server ${name} has failed ${slot.failures} times. It is started again in ${waitMs} ms at the earliest`;
      throw new KernelError('E_LSP_CRASHED', message, { retryable: true, retryAfterMs: waitMs, hadNoEffect: true });
    }
    const install = options === knownServers[name] ? knownServers[name]?.install : undefined;
    const started = { name, server: options, install, root: workspace.root, limits, clock, logger };
    const fail = (): void => {
      slot.running = undefined;
      slot.failures += 1;
      slot.notBefore = clock.monotonic() + Math.min(firstWaitMs * 2 ** (slot.failures - 1), maxWaitMs);
    };
    let server: LanguageServer;
    try {
      server = await startServer(started, signal);
    } catch (error) {
      // A caller that gave up says nothing about the server.
      if (!signal.aborted) fail();
      throw error;
    }
    if (this.#isDisposed) {
      await server.end();
      throw new KernelError('E_CANCELLED', 'The tool source was closed');
    }
    const documents = new Documents({
      workspace,
      server,
      maxBytes: limits.fileBytes,
      languageOf: (path) => options.languageId ?? languageOf(path),
    });
    const running = { name, server, documents, changed: new ChangedFiles(workspace, options.extensions) };
    slot.running = running;
    void server.ended.then(() => {
      if (slot.running === running && !this.#isDisposed) fail();
    });
    return running;
  }

  async #refresh({ server, documents, changed }: ReadyServer): Promise<void> {
    const changes = await changed.take();
    if (changes.length > 0) await server.notify('workspace/didChangeWatchedFiles', { changes });
    await documents.refresh();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    const servers = [...this.#slots.values()].flatMap(({ running }) => running?.server ?? []);
    await Promise.all([...servers.map((server) => server.end()), ...this.#ending]);
  }
}

/** Parts that the tools of language servers share. */
export interface LspParts extends AsyncDisposable {
  readonly pool: ServerPool;
  readonly limits: Required<LspLimits>;
  readonly workspaceOf: (context: Pick<ToolContext, 'cwd'>) => Workspace;
}
