import type { ClientHttp2Session } from 'node:http2';
import type { Clock, Logger, SandboxSupport, Timer } from '@ravi/kernel';
import type { TlsMaterial } from '../tls-files.ts';
import { connectToNode } from './connect.ts';
import type { ConnectionLimits } from './connect.ts';
import type { NodeAddress } from './node-address.ts';

/** The one connection to a node, which is opened again when it is lost. */
export interface NodeConnection extends AsyncDisposable {
  readonly address: string;
  /** Support of the sandbox of the node; absent while there is no connection. */
  readonly supports: SandboxSupport | undefined;
  /** Reason why the node cannot be used now, as the rest of a sentence about it; absent while it can. */
  readonly problem: string | undefined;
  /** True if one more run fits. */
  readonly hasRoom: boolean;
  /**
   * Takes a place for a run; the connection keeps the process alive until the place is given back. Only while there is no problem.
   */
  begin(): NodePlace;
}

/** Place of one run on a connection. */
export interface NodePlace extends Disposable {
  readonly session: ClientHttp2Session;
  /** The node refuses runs from now on; `problem` is the rest of a sentence about it. */
  refuse(problem: string): void;
}

/** Options of {@link openNodeConnection}. */
export interface NodeConnectionOptions {
  readonly node: NodeAddress;
  readonly limits: ConnectionLimits;
  /** Reads the certificates; called for each connection, so that renewed ones are used. */
  readonly readTls: () => Promise<TlsMaterial>;
  /** Returns why a sandbox cannot be used; `undefined` if it can. */
  readonly refuses: (supports: SandboxSupport) => string | undefined;
  /** Called when the node becomes available or unavailable. */
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

const firstDelayMs = 100;
const maxDelayMs = 5_000;

/** Opens a connection, and again whenever it is lost, with a delay that doubles from 100 ms to 5 s. Idle, it does not keep the process alive. */
export function openNodeConnection(options: NodeConnectionOptions): NodeConnection {
  const { node, limits, readTls, refuses, onChange, clock, logger } = options;
  const { address } = node;
  let session: ClientHttp2Session | undefined;
  let supports: SandboxSupport | undefined;
  let problem: string | undefined = 'is being connected';
  let maxRuns = 0;
  let runs = 0;
  let failures = 0;
  let timer: Timer | undefined;
  let isClosed = false;

  let connecting = connect();
  return {
    address,
    get supports() {
      return supports;
    },
    get problem() {
      return problem;
    },
    get hasRoom() {
      return runs < maxRuns;
    },
    begin() {
      if (session === undefined || problem !== undefined) throw new TypeError(`The node ${address} cannot be used now`);
      return takePlace(session);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      timer?.cancel();
      // A session destroyed while it connects rejects, and `connect` is over then.
      session?.destroy();
      await connecting;
    },
  };

  async function connect(): Promise<void> {
    try {
      const opened = await connectToNode(node, await readTls(), { ...limits, clock });
      const refusal = isClosed ? 'is no longer needed' : refuses(opened.health.supports);
      if (refusal !== undefined) {
        opened.session.destroy();
        throw new Error(refusal);
      }
      use(opened.session);
      ({ supports, maxRuns } = opened.health);
      failures = 0;
      problem = undefined;
      logger.info('a sandbox node is available', { node: address, sandbox: opened.health.sandbox });
      onChange();
    } catch (error) {
      lose(error instanceof Error ? error.message : String(error));
    }
  }

  function use(opened: ClientHttp2Session): void {
    session = opened;
    let reason = 'closed the connection';
    opened.on('error', (error: NodeJS.ErrnoException) => {
      reason = error.code === 'ETIMEDOUT' ? 'replied to no ping' : `lost the connection (${error.code ?? error.name})`;
    });
    // The runs in progress may end; new ones would be refused.
    opened.once('goaway', () => {
      if (session === opened) problem = 'is shutting down';
    });
    opened.once('close', () => {
      if (session === opened) lose(reason);
    });
  }

  function lose(reason: string): void {
    session = undefined;
    supports = undefined;
    if (isClosed) return;
    // Once for each reason, not for each attempt.
    if (problem !== reason) logger.warn('a sandbox node is not available', { node: address, reason });
    problem = reason;
    const delayMs = Math.min(firstDelayMs * 2 ** failures++, maxDelayMs) * (0.5 + Math.random() / 2);
    timer = clock.setTimer(() => void (connecting = connect()), delayMs, { isBackground: true });
    onChange();
  }

  function takePlace(used: ClientHttp2Session): NodePlace {
    let isTaken = true;
    if (++runs === 1) used.ref();
    return {
      session: used,
      refuse(why) {
        if (session === used) problem = why;
      },
      [Symbol.dispose]() {
        if (!isTaken) return;
        isTaken = false;
        if (--runs === 0 && !used.destroyed) used.unref();
      },
    };
  }
}
