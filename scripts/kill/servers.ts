import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startProcess } from '../../apps/monolith/test/support/server-process.ts';
import type { ServerProcess } from '../../apps/monolith/test/support/server-process.ts';
import { configurationOf } from './installation.ts';

/** A server that faults happen to. It is started again after it ended. */
export interface KilledServer {
  readonly number: number;
  /** Its address while it listens and is not stopped. */
  readonly url: string | undefined;
  /** Process id while it runs. */
  readonly pid: number | undefined;
  /** Starts it and resolves when it listens. Tries again if it ends before. @throws Error with its log if it never listens */
  start(): Promise<void>;
  /** Ends it and resolves when it has ended: with SIGKILL, or with SIGTERM and, if it is too slow, SIGKILL. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Stops it for a time, then continues it. */
  freeze(milliseconds: number): Promise<void>;
  /** Shifts its wall clock, also after later starts. */
  setClock(offsetMs: number): void;
}

/** Servers over one installation. */
export interface KilledServers extends AsyncDisposable {
  readonly all: readonly KilledServer[];
  /** Number of starts that ended before the server listened, and of ends that took too long. */
  readonly figures: { failedStarts: number; slowEnds: number };
  /** Resolves with the address of a server that listens; each call starts with the next server. */
  liveUrl(): Promise<string>;
}

const preload = join(import.meta.dirname, 'clock-preload.ts');
const slowEndMs = 40_000;
const maxStarts = 20;

/** Creates `count` servers over an installation. */
export function createKilledServers(folder: string, count: number): KilledServers {
  const figures = { failedStarts: 0, slowEnds: 0 };
  const all = Array.from({ length: count }, (_, number) => createServer(folder, number, figures));
  let turn = 0;
  const killAll = (): void => all.forEach((server) => void server.end('SIGKILL'));
  process.once('exit', killAll);
  return {
    all,
    figures,
    async liveUrl() {
      for (;;) {
        const live = all.flatMap(({ url }) => url ?? []);
        const url = live[turn++ % Math.max(1, live.length)];
        if (url !== undefined) return url;
        await pause(50);
      }
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', killAll);
      await Promise.all(all.map((server) => server.end('SIGKILL')));
    },
  };
}

function createServer(folder: string, number: number, figures: KilledServers['figures']): KilledServer {
  const configuration = configurationOf(number);
  let running: ServerProcess | undefined;
  let isFrozen = false;
  let url: string | undefined;

  async function start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const server = startProcess(folder, ['--config', configuration, '--port', '0'], { preloads: [preload] });
      running = server;
      void server.errors.then((text) => appendFileSync(join(folder, `server-${number}.log`), text));
      try {
        url = await server.url();
        return;
      } catch {
        figures.failedStarts++;
        server.signal('SIGKILL');
        await server.exit;
        if (attempt === maxStarts) throw new Error(`Server ${number} does not start: ${await server.errors}`);
        await pause(500);
      }
    }
  }

  return {
    number,
    get pid() {
      return running?.child.pid;
    },
    get url() {
      return isFrozen ? undefined : url;
    },
    start,
    async end(signal) {
      url = undefined;
      const server = running;
      if (server === undefined) return;
      server.signal(signal);
      const timer = setTimeout(() => {
        figures.slowEnds++;
        server.signal('SIGKILL');
      }, slowEndMs);
      await server.exit;
      clearTimeout(timer);
      running = undefined;
    },
    async freeze(milliseconds) {
      isFrozen = true;
      running?.signal('SIGSTOP');
      await pause(milliseconds);
      running?.signal('SIGCONT');
      isFrozen = false;
    },
    setClock: (offsetMs) => writeFileSync(join(folder, `${configuration}.clock`), String(offsetMs)),
  };
}
