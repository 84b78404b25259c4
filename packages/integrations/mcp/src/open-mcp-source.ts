import type { AuthProvider } from '@modelcontextprotocol/client';
import { KernelError } from '@ravi/kernel';
import type {
  AnyTool,
  JsonObject,
  OpenToolSource,
  OpenToolSourceOptions,
  RemoteToolSource,
  Timer,
  Tool,
  ToolContext,
  ToolExecutionResult,
  ToolSourceContent,
  ToolSourceStatus,
} from '@ravi/kernel';
import { createSafeFetch } from '@ravi/safe-fetch';
import type { SafeFetch } from '@ravi/safe-fetch';
import { nameTools, withOrigin } from '@ravi/source-kit';
import { visibleText } from '@ravi/support';
import { askPerson } from './call/ask-person.ts';
import { callTool } from './call/call-tool.ts';
import type { SampleModel } from './call/input-required.ts';
import { RunningCalls } from './call/running-call.ts';
import { createSampler } from './call/sample-model.ts';
import { lossOf } from './call/call-error.ts';
import { listTools, StableContent } from './catalogue/catalogue.ts';
import type { ListedTool, ListFailure, OfferedTool } from './catalogue/listed-tool.ts';
import { listPromptTools } from './catalogue/prompt-tools.ts';
import { resourceTools } from './catalogue/resource-tools.ts';
import { titledDescription } from './catalogue/listed-tool.ts';
import type { CheckedOptions } from './check-options.ts';
import { commandPlace } from './connection/command-place.ts';
import { connectServer } from './connection/connect.ts';
import type { Connection } from './connection/connection.ts';
import { describeFailure } from './connection/describe-failure.ts';
import { listenForChanges } from './connection/listen-for-changes.ts';
import { ServerLink } from './connection/server-link.ts';
import type { McpSourceContext } from './options.ts';
import { isSignInRequired } from './sign-in/auth-errors.ts';
import { createCallers } from './sign-in/callers.ts';
import type { Callers, CallersParts } from './sign-in/callers.ts';

/** Shortest time between two readings of the lists, for any number of announcements. */
const refreshPauseMs = 1_000;
/** Longest wait for the first attempt to connect. */
const openWaitMs = 10_000;
const unread = 'Its tools are listed once a caller that may accept definitions of tools has signed in';
const noPrompts = { tools: [], failures: [] };

/** Everything that a server lists, and tools of our own. */
interface Listed {
  readonly tools: readonly OfferedTool[];
  readonly failures: readonly ListFailure[];
  readonly ttlMs?: number;
}

/** Open source of one MCP server. */
export class OpenMcpSource implements OpenToolSource {
  readonly remote: RemoteToolSource;
  readonly content: () => ToolSourceContent;
  readonly #options: CheckedOptions;
  readonly #context: McpSourceContext;
  readonly #onChange: () => void;
  readonly #content = new StableContent();
  readonly #running = new RunningCalls();
  readonly #fetch: SafeFetch | undefined;
  readonly #link: ServerLink;
  readonly #sample: SampleModel | undefined;
  /** Present if callers sign in for themselves. */
  readonly #callers: Callers | undefined;
  #status: ToolSourceStatus;
  #refreshTimer: Timer | undefined;
  #refreshDueAt = Infinity;
  #refreshedAt = -Infinity;
  /** Connection whose lists are being read. */
  #reading: Connection | undefined;
  /** True if a reading became due while another one was under way. */
  #isReadingOwed = false;
  #isOpen = false;
  #isEnded = false;
  #needsSignIn = false;
  #program: Connection['program'];
  #protocol: string | undefined;

  constructor(
    options: CheckedOptions,
    context: McpSourceContext,
    { onChange, signInUrl }: Pick<OpenToolSourceOptions, 'onChange'> & Pick<CallersParts, 'signInUrl'>,
  ) {
    this.#options = options;
    this.#context = context;
    this.#onChange = onChange;
    this.content = () => this.#content.current;
    this.#callers = createCallers(options, context, {
      signInUrl,
      connect: (auth, signal) => this.#connect(signal, auth),
      onChange: () => void this.#link.reconnect(),
    });
    const { server } = options;
    this.#sample = server.sampling === undefined ? undefined : createSampler(server.sampling, context.clock);
    if (server.url !== undefined) {
      this.#fetch = createSafeFetch({
        allowPrivateAddresses: server.allowPrivateAddresses === true,
        pinnedHosts: [new URL(server.url).host],
        maxBytes: Infinity,
        timeoutMs: Infinity,
      });
    }
    this.#link = new ServerLink({
      ...context,
      name: options.name,
      connect: (signal) => this.#connectToRead(signal),
      onConnected: async (connection, signal) => {
        let isRead = false;
        await listenForChanges(connection, context.clock, signal, () => {
          if (isRead) this.#refreshSoon();
        });
        isRead = true;
        await this.#notingSignIn(this.#read(connection, signal));
      },
      onStatus: () => this.#report(),
    });
    this.#status = this.#currentStatus();
    this.remote = {
      status: () => this.#status,
      reconnect: () => this.#link.reconnect(),
      ...(this.#callers === undefined ? {} : { signIn: this.#callers.signIn }),
    };
  }

  /** Makes the first attempt to connect. Its failure is a status, not an error. @throws KernelError `E_CANCELLED` */
  async start(signal: AbortSignal): Promise<void> {
    const given = Promise.withResolvers<void>();
    const giveUp = (): void => given.resolve();
    const timer = this.#context.clock.setTimer(giveUp, openWaitMs);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    try {
      await Promise.race([this.#link.connect(), given.promise]);
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', giveUp);
    }
    if (signal.aborted) {
      await this[Symbol.asyncDispose]();
      throw new KernelError('E_CANCELLED', `The opening of the MCP server ${this.#options.name} was cancelled`);
    }
    this.#isOpen = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    this.#cancelRefresh();
    await this.#link[Symbol.asyncDispose]();
    await this.#callers?.[Symbol.asyncDispose]();
    await this.#fetch?.[Symbol.asyncDispose]();
  }

  // The lists are read for a caller that has signed in and may define tools, or without credentials.
  async #connectToRead(signal: AbortSignal): Promise<Connection> {
    this.#needsSignIn = false;
    return this.#notingSignIn(this.#connect(signal, await this.#callers?.authOfReader()));
  }

  // A server may ask for credentials at its first message, or not before its lists are read.
  async #notingSignIn<Value>(attempt: Promise<Value>): Promise<Value> {
    try {
      return await attempt;
    } catch (error) {
      this.#needsSignIn = this.#callers !== undefined && isSignInRequired(error);
      throw error;
    }
  }

  #connect(signal: AbortSignal, auth: AuthProvider | undefined): Promise<Connection> {
    const { server, limits } = this.#options;
    const sample = this.#sample;
    return connectServer(server, {
      ...this.#context,
      limits,
      signal,
      fetch: this.#fetch ?? fetch,
      auth,
      requests: {
        onListChanged: () => this.#refreshSoon(),
        onElicit: (params) => askPerson(this.#running.relatedCall(), params),
        ...(sample === undefined ? {} : { onSample: (params) => sample(params, this.#running.relatedCall()) }),
      },
    });
  }

  // Reads the lists. An error ends the connection, because nothing can be called without them.
  async #read(connection: Connection, signal: AbortSignal): Promise<void> {
    // This reading sees everything that was announced before it.
    this.#cancelRefresh();
    this.#isReadingOwed = false;
    this.#refreshedAt = this.#context.clock.monotonic();
    this.#reading = connection;
    let listed: Listed;
    try {
      listed = await this.#listAll(connection, signal);
      // A newer connection is being read.
      if (this.#reading !== connection) return;
    } finally {
      if (this.#reading === connection) this.#reading = undefined;
    }
    this.#offer(connection, listed);
    if (this.#isReadingOwed) this.#refreshSoon();
  }

  #offer(connection: Connection, { tools, failures, ttlMs }: Listed): void {
    const { offers, name, unusedPatterns } = this.#options;
    const offered = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
    const named = nameTools(
      name,
      tools.map((tool) => tool.name).filter((own) => offers(own)),
    );
    const changed = this.#content.replace(
      Array.from(named.names, ([own, offeredAs]) => {
        const definition = offered.get(own) as OfferedTool;
        return { name: offeredAs, definition, make: () => this.#toolOf(offeredAs, definition) };
      }),
      // A tool that cannot be used is listed too.
      [...failures, ...named.failures, ...unusedPatterns([...offered.keys(), ...failures.map(({ from }) => from)])],
    );
    this.#program = connection.program;
    this.#protocol = connection.protocol;
    if (ttlMs !== undefined) this.#refreshSoon(ttlMs);
    if (changed) this.#notify();
  }

  // Our own tools come first: one of the server with the same name is the duplicate.
  async #listAll(connection: Connection, signal: AbortSignal): Promise<Listed> {
    const { limits, server } = this.#options;
    const listed = await listTools(connection, limits, signal);
    const hasResources = connection.client.getServerCapabilities()?.resources !== undefined;
    const resources = server.resources === true && hasResources ? resourceTools : [];
    const prompts = server.prompts === true ? await listPromptTools(connection, limits, signal) : noPrompts;
    const ofServer = listed.tools.map((tool): OfferedTool => {
      const isTask = this.#isTask(tool, connection);
      return { ...tool, execute: (args, context, parts) => callTool(tool, args, context, parts, isTask) };
    });
    return {
      ...listed,
      tools: [...resources, ...prompts.tools, ...ofServer],
      failures: [...listed.failures, ...prompts.failures],
    };
  }

  // With version 2026-07-28 the server decides.
  #isTask({ name, taskSupport }: ListedTool, connection: Connection): boolean {
    if (connection.isModern || taskSupport === 'forbidden') return false;
    if (connection.client.getServerCapabilities()?.tasks?.requests?.tools?.call === undefined) return false;
    return taskSupport === 'required' || this.#options.runsInBackground(name);
  }

  #toolOf(name: string, tool: OfferedTool): AnyTool {
    const { riskOf, runsInBackground, server } = this.#options;
    const risk = riskOf(tool.name, tool.hints);
    // Approvers read our own words first: the description is text of the server.
    const summary = `Calls ${visibleText(tool.name)} of the MCP server ${this.#options.name}`;
    const made: Tool = {
      name,
      description: titledDescription(tool),
      inputSchema: tool.inputSchema,
      ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
      risk,
      classifyRisk: () => ({ risk, summary }),
      idempotent: server.trust === true && tool.hints.isIdempotent === true,
      beginsLate: true,
      ...(runsInBackground(tool.name) ? { mode: 'background' as const } : {}),
      execute: (args, context) => this.#execute(tool, args, context),
    };
    return withOrigin(made, { kind: 'mcp', source: this.#options.name, name: tool.name });
  }

  // A call that certainly did not run, because the session had ended, is made once more with a new one.
  async #execute(tool: OfferedTool, args: JsonObject, context: ToolContext): Promise<ToolExecutionResult> {
    for (let attempt = 1; ; attempt++) {
      const connection = await (this.#callers?.connectionFor(context) ?? this.#link.ready());
      // Until now nothing was sent: a call that waits for a connection or a sign-in is made again after a crash.
      await context.begin();
      try {
        return await tool.execute(args, context, {
          server: this.#options.name,
          connection,
          running: this.#running,
          limits: this.#options.limits,
          sample: this.#sample,
        });
      } catch (error) {
        // A request that was refused did not run.
        const isRefused = await this.#callers?.signInAfter(error, context);
        if (isRefused === true && attempt === 1) continue;
        const loss = lossOf(error);
        if (loss === undefined) throw error;
        if (this.#callers === undefined) this.#link.fail(connection, loss.reason);
        else await this.#callers.drop(context.principal);
        if (!loss.isSafeToRepeat || attempt > 1 || context.signal.aborted) throw error;
        if (this.#callers === undefined) await this.#link.connect();
      }
    }
  }

  // A server may announce changes as often as it likes; the lists are read at most once a second.
  #refreshSoon(inMs = 0): void {
    if (this.#isEnded) return;
    const { clock } = this.#context;
    const now = clock.monotonic();
    const dueAt = Math.max(now + inMs, this.#refreshedAt + refreshPauseMs);
    // The time to live of a list does not put off what was announced while it was read.
    if (this.#refreshDueAt <= dueAt) return;
    this.#cancelRefresh();
    this.#refreshDueAt = dueAt;
    this.#refreshTimer = clock.setTimer(() => void this.#refresh(), dueAt - now, { isBackground: true });
  }

  #cancelRefresh(): void {
    this.#refreshTimer?.cancel();
    this.#refreshDueAt = Infinity;
  }

  async #refresh(): Promise<void> {
    this.#cancelRefresh();
    if (this.#reading !== undefined) {
      this.#isReadingOwed = true;
      return;
    }
    const { connection } = this.#link;
    if (connection === undefined || this.#isEnded) return;
    try {
      await this.#read(connection, new AbortController().signal);
    } catch (error) {
      this.#link.fail(connection, `The lists could not be read: ${describeFailure(error)}`);
    }
  }

  #report(): void {
    this.#status = this.#currentStatus();
    this.#notify();
  }

  #notify(): void {
    if (this.#isOpen && !this.#isEnded) this.#onChange();
  }

  #currentStatus(): ToolSourceStatus {
    const { server } = this.#options;
    const { state: ofLink, message: reason } = this.#link.state;
    const state = ofLink === 'failed' && this.#needsSignIn ? 'sign-in' : ofLink;
    const message = state === 'sign-in' ? unread : reason;
    return {
      state,
      ...(message === undefined ? {} : { message }),
      place: server.url === undefined ? commandPlace(server.command, server.args) : placeOf(server.url),
      ...(this.#program === undefined ? {} : { program: this.#program }),
      ...(this.#protocol === undefined ? {} : { protocol: this.#protocol }),
      isTrusted: server.trust === true,
      holdsChanges: true,
      acceptsNewTools: server.acceptNewTools === true,
    };
  }
}

function placeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
