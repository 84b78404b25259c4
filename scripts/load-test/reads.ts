import { startTally } from './figures.ts';
import type { Figures, Tally } from './figures.ts';
import { openConnection } from './kept-connection.ts';
import type { KeptConnection } from './kept-connection.ts';

/** Options of the read load. */
export interface ReadsOptions {
  readonly path: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests in a second, over all connections; each connection asks again as soon as it can when absent. */
  readonly perSecond?: number;
}

/** Reads one address again and again. Every answer must be what the first one was. */
export async function loadReads(url: string, options: ReadsOptions): Promise<Figures> {
  const { path, connections: count, seconds, perSecond } = options;
  using open = new DisposableStack();
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(url)));
  for (const connection of connections) open.use(connection);
  const { status, body } = await (connections[0] as KeptConnection).get(path);
  if (status !== 200) throw new Error(`GET ${path} answers ${status}`);

  const pace = perSecond === undefined ? 'as fast as it answers' : `${perSecond} a second asked for`;
  const tally = startTally(`GET ${path}, ${count} connections, ${pace}`);
  const until = performance.now() + seconds * 1_000;
  const gapMs = perSecond === undefined ? 0 : (count / perSecond) * 1_000;
  await Promise.all(connections.map((connection, index) => readOn(connection, (index / count) * gapMs)));
  return tally.figures();

  async function readOn(connection: KeptConnection, delayMs: number): Promise<void> {
    let due = performance.now() + delayMs;
    while (due < until) {
      const early = due - performance.now();
      if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
      // Counted from the time it was due: a server that delays one request delays all that follow it.
      if (!(await read(connection, gapMs === 0 ? performance.now() : due, tally))) return;
      due = gapMs === 0 ? performance.now() : due + gapMs;
    }
  }

  async function read(connection: KeptConnection, since: number, { right, wrong }: Tally): Promise<boolean> {
    try {
      const reply = await connection.get(path);
      if (reply.status !== 200) wrong(`status ${reply.status}`);
      else if (reply.body !== body) wrong('another body');
      else right(performance.now() - since);
      return true;
    } catch (error) {
      wrong((error as Error).message);
      return false;
    }
  }
}
