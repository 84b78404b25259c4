import { KernelError } from '../base/errors.ts';
import type { Principal } from '../base/run-context.ts';
import type { AnyTool } from './tool.ts';

/** Source of tools, such as a folder or an MCP server. A tool of one source never shadows a tool of another. */
export interface ToolSource {
  /** Included in every report about its tools. Unique among the sources of a process. */
  readonly name: string;
  /**
   * Opens the source and loads its current tools. A tool that cannot be loaded is a failure of the content and does not hide the
   * others. A source that is not reachable opens too: without tools, with a status that says why, and it tries again on its own.
   * @throws KernelError `E_CONFIG_INVALID` if the configuration names something that does not exist, `E_CANCELLED`
   */
  open(options: OpenToolSourceOptions): Promise<OpenToolSource>;
}

/** Options of {@link ToolSource.open}. */
export interface OpenToolSourceOptions {
  /** Aborts the opening. Disposing the result ends an open source. */
  readonly signal: AbortSignal;
  /** Reports that the content or the status has changed: read both again. Never called before `open` resolves or after disposal. */
  readonly onChange: () => void;
  /** Returns the page on which callers sign in at this source; `undefined` while no server serves it. */
  readonly signInUrl?: () => string | undefined;
}

/** Open {@link ToolSource}. */
export interface OpenToolSource extends AsyncDisposable {
  /** Returns the current tools; the same object until they change. */
  content(): ToolSourceContent;
  /**
   * Reads the files of the source again; `content` has the result. What cannot be loaded any more is a failure, and its previous
   * tools stay. Absent for a source without files. @throws KernelError as {@link ToolSource.open}
   */
  reload?(): Promise<void>;
  /** Absent for a source in this process. */
  readonly remote?: RemoteToolSource;
}

/** Tools of a {@link ToolSource}, and those that could not be loaded. */
export interface ToolSourceContent {
  readonly tools: readonly AnyTool[];
  readonly failures: readonly { readonly from: string; readonly message: string }[];
}

/** Part of an open source whose tools another program runs. */
export interface RemoteToolSource {
  /** Returns the current status; the same object until it changes. */
  status(): ToolSourceStatus;
  /** Closes the connection, if there is one, and connects at once. Resolves when the status is no longer `connecting`. */
  reconnect(): Promise<void>;
  /** Absent if callers do not sign in for themselves. */
  readonly signIn?: ToolSourceSignIn;
}

/** Status of a {@link RemoteToolSource}. */
export interface ToolSourceStatus {
  /** `sign-in`: connected callers have to sign in before they can call its tools. */
  readonly state: 'connecting' | 'ready' | 'failed' | 'sign-in';
  /** Reason of a failure, for the operator. Without secrets. */
  readonly message?: string;
  /** Place of the program: its address without a query, or its command with its first arguments and without secrets. */
  readonly place: string;
  /** Name and version that the other program states. */
  readonly program?: { readonly name: string; readonly version: string };
  /** Version of the protocol, for example `2025-11-25`. */
  readonly protocol?: string;
  /** True if hints of the source lower the risk of its tools. */
  readonly isTrusted: boolean;
  /**
   * True if a definition that differs from the accepted one is held until a person accepts it. The process that opened the source
   * compares them.
   */
  readonly holdsChanges: boolean;
  /**
   * True if tools with new names are offered at once. Otherwise a source that holds changes also holds each tool that appears after its
   * first list was accepted. Default: false.
   */
  readonly acceptsNewTools?: boolean;
}

/** Sign-in of callers at a {@link RemoteToolSource}, each for themselves. */
export interface ToolSourceSignIn {
  isSignedIn(principal: Principal): Promise<boolean>;
  /**
   * Begins a sign-in and returns the address that the caller opens. `callbackUrl` receives the browser afterwards.
   * @throws KernelError `E_SOURCE_UNAVAILABLE`
   */
  begin(principal: Principal, callbackUrl: string): Promise<{ readonly url: string }>;
  /**
   * Completes a sign-in with the query of the callback. Only the principal that began it can complete it.
   * @throws KernelError `E_REQUEST_INVALID` for an unknown, used or foreign state, `E_SOURCE_UNAVAILABLE`
   */
  complete(principal: Principal, query: URLSearchParams, options?: CompleteSignInOptions): Promise<void>;
  /** Forgets the credentials of the principal. */
  signOut(principal: Principal): Promise<void>;
}

/** Options of {@link ToolSourceSignIn.complete}. */
export interface CompleteSignInOptions {
  /**
   * True if the tools of the source, which all callers are offered, may be read with the credentials of this principal: it may accept
   * definitions. Otherwise they are used for its own calls only. Default: false.
   */
  readonly definesTools?: boolean;
}

/** Parts of {@link defineToolSource}. */
export interface FixedToolSource {
  readonly name: string;
  /**
   * Loads the tools, once for each opening.
   * @throws KernelError as {@link ToolSource.open}
   */
  readonly load: (options: Pick<OpenToolSourceOptions, 'signal'>) => ToolSourceContent | Promise<ToolSourceContent>;
}

/** Returns a source in this process whose tools do not change after it was opened. */
export function defineToolSource({ name, load }: FixedToolSource): ToolSource {
  return {
    name,
    async open({ signal }) {
      if (signal.aborted) throw new KernelError('E_CANCELLED', `Opening ${name} was cancelled`);
      const content = await load({ signal });
      return { content: () => content, async [Symbol.asyncDispose]() {} };
    },
  };
}
