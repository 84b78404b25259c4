import { createHash } from 'node:crypto';
import { KernelError } from '@ravi/kernel';
import type { Clock, SandboxSupport } from '@ravi/kernel';
import type { NodeConnection } from './node-connection.ts';

/** The nodes of a sandbox. */
export interface Fleet extends AsyncDisposable {
  /** Returns what the sandboxes of all nodes support. @throws KernelError `E_SANDBOX_UNAVAILABLE` if no node was available in time */
  untilAvailable(): Promise<SandboxSupport>;
  /**
   * Returns the first node of a principal that is available and was not tried; waits a while if none is available. Returns `undefined`
   * if `signal` aborts first.
   * @throws KernelError `E_SANDBOX_UNAVAILABLE`, retryable, that names each node and why it cannot be used
   */
  choose(
    principal: string,
    tried: ReadonlyMap<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<NodeConnection | undefined>;
  /** Notes that a node has become available or unavailable. */
  changed(): void;
}

/** Creates the fleet of `connections`; runs wait at most `waitMs` for one of them. */
export function createFleet(
  connections: readonly NodeConnection[],
  { clock, waitMs }: { readonly clock: Clock; readonly waitMs: number },
): Fleet {
  const waiting = new Set<() => void>();
  let isClosed = false;

  return {
    async untilAvailable() {
      const node = await find(() => connections.find(isAvailable), new Map(), undefined);
      return node?.supports as SandboxSupport;
    },
    choose(principal, tried, signal) {
      const ranked = rankNodes(connections, principal);
      return find(() => ranked.find((node) => isAvailable(node) && !tried.has(node.address)), tried, signal);
    },
    changed() {
      for (const look of Array.from(waiting)) look();
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const look of Array.from(waiting)) look();
      await Promise.all(connections.map((connection) => connection[Symbol.asyncDispose]()));
    },
  };

  function find(
    available: () => NodeConnection | undefined,
    tried: ReadonlyMap<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<NodeConnection | undefined> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        waiting.delete(look);
        timer.cancel();
        signal?.removeEventListener('abort', look);
      };
      const look = (): void => {
        const node = isClosed ? undefined : available();
        if (node === undefined && signal?.aborted !== true && !isClosed && mayWait(tried)) return;
        stop();
        if (node !== undefined || signal?.aborted === true) resolve(node);
        else reject(unavailable(tried));
      };
      const timer = clock.setTimer(() => {
        stop();
        reject(unavailable(tried));
      }, waitMs);
      waiting.add(look);
      signal?.addEventListener('abort', look, { once: true });
      look();
    });
  }

  // A node that refused a run does so again, so a run waits only for nodes that it has not tried and that are not full.
  function mayWait(tried: ReadonlyMap<string, string>): boolean {
    return connections.some(({ address, problem }) => problem !== undefined && !tried.has(address));
  }

  function unavailable(tried: ReadonlyMap<string, string>): KernelError {
    if (isClosed) return new KernelError('E_SANDBOX_UNAVAILABLE', 'The sandbox is closed', { retryable: true });
    const reasons = connections.map(
      ({ address, problem }) => `${address} ${tried.get(address) ?? problem ?? 'has no place for another run'}`,
    );
    const message = `No sandbox node can run the script: ${reasons.join('; ')}`;
    return new KernelError('E_SANDBOX_UNAVAILABLE', message, { retryable: true });
  }
}

function isAvailable({ problem, hasRoom }: NodeConnection): boolean {
  return problem === undefined && hasRoom;
}

/**
 * Returns the nodes in the order in which a principal uses them, by rendezvous hashing: each pair of a node and a principal has a
 * fixed score. A principal keeps its node, and with it its warm processes, while other nodes come and go; the share of a node that
 * is gone is spread over all others.
 */
export function rankNodes<Node extends { readonly address: string }>(
  nodes: readonly Node[],
  principal: string,
): readonly Node[] {
  return nodes
    .map((node) => ({ node, score: scoreOf(node.address, principal) }))
    .toSorted((one, other) => (one.score < other.score ? 1 : -1))
    .map(({ node }) => node);
}

function scoreOf(address: string, principal: string): string {
  return createHash('sha256')
    .update(JSON.stringify([address, principal]))
    .digest('hex');
}
