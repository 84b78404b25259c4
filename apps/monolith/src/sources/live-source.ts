import type { RefusedTool, Toolbox } from '@ravi/invoker';
import { KernelError, isKernelError } from '@ravi/kernel';
import type {
  AnyTool,
  Clock,
  Logger,
  OpenToolSource,
  Timer,
  ToolSource,
  ToolSourceContent,
  ToolSourceSignIn,
  ToolSourceStatus,
} from '@ravi/kernel';
import type { DefinitionCheck, DefinitionDecision, HeldTool } from './definition-check.ts';

/** A source of tools that this process has opened or tries to open. */
export interface LiveSource extends AsyncDisposable {
  readonly name: string;
  /** True if the operator wrote its tools. */
  readonly isOwn: boolean;
  /**
   * Opens the source; `refresh` offers its tools. A source that cannot be opened is reported as failed.
   * @throws KernelError `E_CONFIG_INVALID`
   */
  open(): Promise<void>;
  /** Reads the source and offers its tools. Calls are executed one after the other. */
  refresh(): Promise<void>;
  /** Connects again, or opens a source that could not be opened. */
  reconnect(): Promise<void>;
  /**
   * Reads the files of the source again, or opens one that could not be opened. What cannot be loaded keeps its previous tools and
   * is a failure of the state.
   */
  reload(): Promise<void>;
  /** Decides about a held tool and offers it if it was accepted. @throws KernelError `E_TOOL_UNKNOWN`, `E_STATE_CONFLICT` */
  decide(tool: string, decision: DefinitionDecision): Promise<void>;
  /** State as it was read last. */
  readonly state: SourceState;
  /** Absent if callers do not sign in for themselves. */
  readonly signIn: ToolSourceSignIn | undefined;
}

/** State of a {@link LiveSource}. */
export interface SourceState {
  /** Absent for a source in this process that is open. */
  readonly status?: Pick<ToolSourceStatus, 'state' | 'message'> & Partial<ToolSourceStatus>;
  readonly failures: readonly SourceFailure[];
  readonly held: readonly HeldTool[];
  /** True if a name of a tool was taken, so that the tool may be free to add after another source has changed. */
  readonly hasConflict: boolean;
}

/** Something of a source that is not offered. */
export interface SourceFailure {
  readonly from: string;
  readonly message: string;
}

/** Effect of a reading on the toolbox. */
export interface ReadingEffect {
  /** True if a name of a tool became free. */
  readonly hasFreed: boolean;
  /** True if a tool is another one than before, or new. */
  readonly hasNew: boolean;
}

/** Options of {@link createLiveSource}. */
export interface LiveSourceOptions {
  readonly source: ToolSource;
  readonly isOwn: boolean;
  /** Kind of the source for patterns, if the source itself does not brand its tools. */
  readonly kind?: string | undefined;
  readonly toolbox: Toolbox;
  readonly check: DefinitionCheck;
  /** Called after each reading. */
  readonly onRead: (effect: ReadingEffect) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Time between two readings of a source that reports many changes. */
const leastIntervalMs = 100;
/** Time after which held tools are compared again: another process may have stored a decision. */
const heldIntervalMs = 10_000;
/** Time that a source has to end. */
const maxEndMs = 10_000;

const noContent: ToolSourceContent = { tools: [], failures: [] };

/** Creates a source that is not open yet. */
export function createLiveSource(options: LiveSourceOptions): LiveSource {
  const { source, isOwn, kind, toolbox, check, onRead, clock, logger } = options;
  const { name } = source;
  const ending = new AbortController();
  let opened: OpenToolSource | undefined;
  let opening: Promise<void> | undefined;
  let reading = Promise.resolve();
  let readAt = Number.NEGATIVE_INFINITY;
  let timer: Timer | undefined;
  let recheck: Timer | undefined;
  let offered: readonly string[] = [];
  let reloadFailure: SourceFailure | undefined;
  let state: SourceState = { status: { state: 'connecting' }, failures: [], held: [], hasConflict: false };

  function onChange(): void {
    if (opened === undefined || timer !== undefined || ending.signal.aborted) return;
    const waitMs = Math.max(0, readAt + leastIntervalMs - clock.monotonic());
    timer = clock.setTimer(
      () => {
        timer = undefined;
        void refresh();
      },
      waitMs,
      { isBackground: true },
    );
  }

  function refresh(): Promise<void> {
    reading = reading
      .then(read)
      .catch((error: unknown) => logger.error('a tool source cannot be read', { name, error }));
    return reading;
  }

  async function read(): Promise<void> {
    if (ending.signal.aborted || opened === undefined) return;
    readAt = clock.monotonic();
    recheck?.cancel();
    const { content, status } = readOpen(opened);
    const { tools, held, known } =
      status?.holdsChanges === true
        ? await check.check(content.tools, status)
        : { tools: content.tools, held: [], known: offered };
    if (isEnding()) return;
    const names = new Set(content.tools.map(nameOf));
    const absent = new Map(held.map((one) => [one.tool, absenceOf(one)]));
    if (status !== undefined && status.state !== 'ready') {
      for (const tool of known) if (!names.has(tool)) absent.set(tool, `its source ${name} is not connected`);
    }
    const before = ownTools();
    const refused = toolbox.setSource(name, tools, { isOwn, absent, ...(kind === undefined ? {} : { kind }) });
    const hasFreed = before.some(({ name: tool }) => !toolbox.has(tool));
    const hasNew = ownTools().some((tool) => !before.includes(tool));
    if (names.size > 0) offered = [...names].filter((tool) => tool !== undefined);
    for (const { tool, state: why } of held) {
      const isNew = !state.held.some((before) => before.tool === tool && before.state === why);
      if (isNew) logger.warn('a tool is held', { source: name, tool, reason: why });
    }
    const failures = [
      ...(reloadFailure === undefined ? [] : [reloadFailure]),
      ...content.failures,
      ...refused.map((one) => failureOf(one, tools, name)),
    ];
    logNew(failures);
    state = {
      ...(status === undefined ? {} : { status }),
      failures,
      held,
      hasConflict: refused.some(({ error }) => error.code === 'E_TOOL_NAME_CONFLICT'),
    };
    if (held.length > 0) recheck = clock.setTimer(() => void refresh(), heldIntervalMs, { isBackground: true });
    onRead({ hasFreed, hasNew });
  }

  function ownTools(): readonly AnyTool[] {
    return toolbox.all().filter((tool) => toolbox.sourceOf(tool.name) === name);
  }

  function logNew(failures: readonly SourceFailure[]): void {
    const known = new Set(state.failures.map(({ from, message }) => `${from}\n${message}`));
    for (const { from, message: reason } of failures) {
      if (!known.has(`${from}\n${reason}`)) logger.warn('a tool could not be loaded', { source: name, from, reason });
    }
  }

  // After an `await` the compiler remembers the value of before.
  function isEnding(): boolean {
    return ending.signal.aborted;
  }

  async function openNow(): Promise<void> {
    state = { ...state, status: { state: 'connecting' } };
    let result: OpenToolSource;
    try {
      result = await source.open({ signal: ending.signal, onChange });
    } catch (error) {
      if (isEnding()) return;
      if (isKernelError(error, 'E_CONFIG_INVALID')) throw error;
      const message = messageOf(error);
      if (state.failures.every((one) => one.message !== message)) {
        logger.warn('a tool source cannot be opened', { source: name, reason: message });
      }
      state = { ...state, status: { state: 'failed', message }, failures: [{ from: name, message }] };
      return;
    }
    if (isEnding()) return void (await end(result));
    opened = result;
  }

  async function end(source: OpenToolSource): Promise<void> {
    try {
      await source[Symbol.asyncDispose]();
    } catch (error) {
      logger.error('a tool source did not end cleanly', { source: name, error });
    }
  }

  function open(): Promise<void> {
    opening ??= openNow().finally(() => (opening = undefined));
    return opening;
  }

  return {
    name,
    isOwn,
    open,
    refresh,
    async reconnect() {
      await (opened === undefined ? open() : opened.remote?.reconnect());
      await refresh();
    },
    async reload() {
      try {
        await (opened === undefined ? open() : opened.reload?.());
        reloadFailure = undefined;
      } catch (error) {
        reloadFailure = { from: name, message: `${messageOf(error)}; its tools stay as before` };
      }
      await refresh();
    },
    async decide(tool, decision) {
      const held = state.held.find((one) => one.tool === tool);
      if (held === undefined) throw new KernelError('E_TOOL_UNKNOWN', `No definition of ${tool} is held`);
      if (held.digest !== decision.digest) {
        throw new KernelError('E_STATE_CONFLICT', `The definition of ${tool} has changed again; look at it again`);
      }
      await check.decide(held, decision, state.status?.isTrusted === true);
      await refresh();
    },
    get state() {
      return state;
    },
    get signIn() {
      return opened?.remote?.signIn;
    },
    async [Symbol.asyncDispose]() {
      ending.abort(new KernelError('E_CANCELLED', 'The process is shutting down'));
      timer?.cancel();
      recheck?.cancel();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const limit = clock.setTimer(resolve, maxEndMs);
      const ended = Promise.all([opened && end(opened), opening?.catch(() => undefined), reading]);
      await Promise.race([ended, late]);
      limit.cancel();
    },
  };
}

function readOpen(opened: OpenToolSource): { readonly content: ToolSourceContent; readonly status?: ToolSourceStatus } {
  try {
    const { tools, failures } = opened.content();
    const status = opened.remote?.status();
    return { content: { tools: [...tools], failures: [...failures] }, ...(status === undefined ? {} : { status }) };
  } catch (error) {
    const message = `cannot be read: ${messageOf(error)}`;
    return { content: { ...noContent, failures: [{ from: 'status', message }] } };
  }
}

function absenceOf({ tool, state }: HeldTool): string {
  if (state === 'rejected') return 'its definition is new or changed, and a person refused it';
  if (state === 'new') {
    return `its source added it later; a person has to accept it, in the console or with "ravi mcp accept ${tool}"`;
  }
  if (state === 'changed') {
    return `its definition changed; a person has to accept it, in the console or with "ravi mcp accept ${tool}"`;
  }
  return 'its definition cannot be compared with the accepted one, because the state store is not available';
}

function failureOf({ index, error }: RefusedTool, tools: readonly AnyTool[], source: string): SourceFailure {
  return { from: nameOf(tools[index]) ?? source, message: error.message };
}

// Reading a property of a plugin's tool may throw.
function nameOf(tool: AnyTool | undefined): string | undefined {
  try {
    return tool?.name;
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
