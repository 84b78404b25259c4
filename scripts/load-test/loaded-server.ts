import { once } from 'node:events';
import { join } from 'node:path';
import { createInstallation } from '../../apps/monolith/test/support/installation.ts';
import { startProcess } from '../../apps/monolith/test/support/server-process.ts';
import { percentile } from './figures.ts';
import { watchMemory } from './memory.ts';
import type { MemoryWatch } from './memory.ts';

/** A server under load, in a process of its own. */
export interface LoadedServer extends AsyncDisposable {
  readonly url: string;
  readonly memory: MemoryWatch;
  /** Returns the delay of its timers since the last request, in milliseconds. */
  lag(): Promise<{ readonly p50: number; readonly p99: number; readonly max: number }>;
  /** Ends it as a supervisor would and returns its exit code. */
  stop(): Promise<number | null>;
}

const gateTools = `
const held = Promise.withResolvers();
const done = { content: [{ type: 'text', text: 'done' }], isError: false };
const tool = (name, execute) => ({ name, description: name, risk: 'safe', inputSchema: { type: 'object' }, execute });
export default [
  tool('hold', async () => { await held.promise; return done; }),
  tool('release', async () => { held.resolve(); return done; }),
];`;

/** Starts the reference server as a user would, with a configuration in a folder. */
export async function startLoadedServer(): Promise<LoadedServer> {
  await using starting = new AsyncDisposableStack();
  const { folder } = starting.use(
    await createInstallation({ policy: { maxScriptCalls: 10_000 } }, { 'tools/gate.mjs': gateTools }),
  );
  const preload = join(import.meta.dirname, 'lag-probe.ts');
  const server = starting.use(
    startProcess(folder, ['--config', 'ravi.config.json', '--port', '0'], { preloads: [preload] }),
  );
  const url = await server.url();
  const { child } = server;
  const memory = starting.use(watchMemory(child.pid ?? 0));
  const started = starting.move();
  return {
    url,
    memory,
    async lag() {
      const answered = once(child, 'message');
      child.send('lag');
      const [late] = (await answered) as [readonly number[]];
      const sorted = Float64Array.from(late).sort();
      return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: sorted.at(-1) ?? 0 };
    },
    stop() {
      server.signal('SIGTERM');
      return server.exit;
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
