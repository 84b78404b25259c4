import { createClient } from '@ravi/client';
import type { Client, Fetch } from '@ravi/client';

/** A client of a server, or of an installation that is open in this process. */
export type Connection = Client &
  AsyncDisposable & {
    /** True if the installation is open in this process: pending work ends with the command. */
    readonly isEmbedded: boolean;
    /** Calls a listener after the tools have changed, if that can be known. Returns a function that ends it. */
    readonly onToolsChanged?: (listener: () => void) => () => void;
  };

/** Options of {@link createConnection}. */
export interface ConnectionOptions {
  /** `http://127.0.0.1:7341` */
  readonly url: string;
  readonly isEmbedded: boolean;
  readonly token?: string | undefined;
  readonly fetch?: Fetch;
  readonly onToolsChanged?: (listener: () => void) => () => void;
  readonly close?: () => PromiseLike<void>;
}

/** Creates a connection. Disposing it closes the installation. */
export function createConnection(options: ConnectionOptions): Connection {
  const { url, isEmbedded, token, fetch, onToolsChanged, close } = options;
  return {
    ...createClient({ baseUrl: url, token, fetch }),
    isEmbedded,
    ...(onToolsChanged === undefined ? {} : { onToolsChanged }),
    async [Symbol.asyncDispose]() {
      await close?.();
    },
  };
}

/**
 * Returns options of a command as the input of an operation, without those that are absent. They are text; the server
 * converts and checks them.
 */
export function inputOf<Input>(options: Readonly<Record<string, string | undefined>>): Input {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Input;
}
