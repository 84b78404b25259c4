import type { Clock, Principal, Timer } from '@ravi/kernel';
import type { Connection } from '../connection/connection.ts';

/** Connections at the same time; above it, the one that was unused for longest is closed. */
const maxConnections = 100;
/** A connection that no call has used for this long is closed. */
const idleMs = 600_000;

interface Entry {
  readonly connecting: Promise<Connection>;
  readonly ending: AbortController;
  timer?: Timer;
}

/** Connections of principals to one server, each with the credentials of its principal. A connection is made when a call needs it. */
export class PrincipalConnections implements AsyncDisposable {
  readonly #connect: (principal: Principal, signal: AbortSignal) => Promise<Connection>;
  readonly #clock: Clock;
  readonly #entries = new Map<Principal, Entry>();

  constructor(connect: (principal: Principal, signal: AbortSignal) => Promise<Connection>, clock: Clock) {
    this.#connect = connect;
    this.#clock = clock;
  }

  /** Returns the connection of a principal. @throws the error of the attempt to connect */
  of(principal: Principal): Promise<Connection> {
    const entry = this.#entries.get(principal) ?? this.#open(principal);
    // The last one in the map is the one that was used last.
    this.#entries.delete(principal);
    this.#entries.set(principal, entry);
    entry.timer?.cancel();
    entry.timer = this.#clock.setTimer(() => void this.drop(principal), idleMs, { isBackground: true });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxConnections && oldest !== undefined) void this.drop(oldest);
    return entry.connecting;
  }

  /** Closes the connection of a principal, if there is one: after a loss, or when its credentials changed. */
  async drop(principal: Principal): Promise<void> {
    const entry = this.#entries.get(principal);
    this.#entries.delete(principal);
    if (entry !== undefined) await close(entry);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map(close));
  }

  #open(principal: Principal): Entry {
    const ending = new AbortController();
    const forget = (): void => {
      if (this.#entries.get(principal) !== entry) return;
      this.#entries.delete(principal);
      entry.timer?.cancel();
    };
    const connecting = this.#connect(principal, ending.signal).then(
      (connection) => {
        void connection.ended.then(forget);
        return connection;
      },
      (error: unknown) => {
        forget();
        throw error;
      },
    );
    const entry: Entry = { connecting, ending };
    return entry;
  }
}

async function close({ connecting, ending, timer }: Entry): Promise<void> {
  timer?.cancel();
  ending.abort();
  const connection = await connecting.catch(() => undefined);
  await connection?.close();
}
