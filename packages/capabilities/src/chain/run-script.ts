import { sessionBlobs } from '@ravi/invoker';
import type { InvokerSession, ToolInvoker } from '@ravi/invoker';
import type {
  BridgeCall,
  ChainError,
  ChainPolicy,
  JsonValue,
  Sandbox,
  SandboxLanguage,
  SandboxOutcome,
  SandboxRequest,
  WholeResult,
} from '@ravi/kernel';
import { checkLanguage } from '@ravi/support';
import type { PreflightReport } from '../preflight/finding.ts';
import { createPreflight } from '../preflight/preflight.ts';
import type { Preflight } from '../preflight/preflight.ts';
import { knownTools, scriptTools } from '../discovery/visible-tools.ts';
import { pythonPrelude } from '../python-prelude.ts';
import type { ConsoleLog } from './console-log.ts';
import { cutResult, maxReturnedBytes } from './cut-result.ts';
import { failureOf, maxBridgeCalls } from './failure.ts';
import type { ChainFailure } from './failure.ts';
import { createGuestCheck } from './guest-check.ts';
import type { GuestCheck } from './guest-check.ts';
import { beginName, javascriptPrelude } from './prelude/source.ts';
import { prepareChain, withOpening } from '../source/prepare-script.ts';
import type { ChainSource, PreparedScript } from '../source/prepare-script.ts';

/** Options of {@link runScript}. */
export interface RunScriptOptions extends ChainSource {
  readonly invoker: ToolInvoker;
  readonly sandbox: Sandbox;
  /** Checks the script before it runs; `false` disables the check. Defaults to the check of this process. */
  readonly preflight?: Preflight | false;
}

/** The end of a script. */
export type EndedScript = {
  readonly consoleDroppedBytes: number;
  /** The mistakes because of which the script was not run. */
  readonly mistakes?: readonly ChainError[];
  readonly warnings?: readonly ChainError[];
} & (
  | ChainFailure
  | {
      readonly status: 'ok';
      readonly value?: JsonValue;
      readonly text?: string;
      readonly note?: string;
      readonly whole?: WholeResult;
    }
);

/** Start values of a script that can be repeated. */
export interface ScriptBeginning {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** 32 hexadecimal digits. */
  readonly seed: string;
  /** Tool calls that may be in flight at once. */
  readonly maxInFlight: number;
}

/** The host side of a script: replies to its calls and what replaying it needs. */
export interface ScriptHost {
  reply(call: BridgeCall): Promise<string>;
  /** Present if the script must be replayable. */
  readonly durable?: {
    readonly beginning: ScriptBeginning;
    /** Calls to the host that may be in flight in addition to tool calls. */
    readonly moreInFlight: number;
    /** Called when the script has made every call of its turn and waits. */
    onTurnEnd(): void;
    /** True if the script has run before: its check passed then, and is not judged again. */
    readonly hasRun: boolean;
  };
}

/** Reads, checks and runs one script in a session that the caller opens and closes. */
export async function runScript(
  options: RunScriptOptions,
  session: InvokerSession,
  { reply, durable }: ScriptHost,
  log: ConsoleLog,
): Promise<EndedScript> {
  const { code: source, language = 'javascript', sandbox, invoker } = options;
  const { policy, signal, principal } = session;
  checkLanguage(sandbox, language);
  const prepared = await prepareChain(options, policy);
  if (prepared.status === 'error') return { ...prepared, consoleDroppedBytes: 0 };
  const script =
    durable === undefined || language === 'python' ? prepared : withOpening(prepared, beginningOf(durable.beginning));
  const checking = checkFirst(options, session);
  const hasRun = durable?.hasRun === true;
  const stopped = hasRun ? undefined : stoppedBy(await checking);
  if (stopped !== undefined) return stopped;
  const isChecked = options.preflight !== false && language === 'python';
  const check = isChecked ? guestCheck(options, session, script, hasRun) : undefined;
  const outcome = await sandbox.run({
    language,
    code: script.code,
    prelude: preludeOf(options, session, { checked: check !== undefined, beginning: durable?.beginning }),
    ...sandboxFiles(options, language, session),
    principal,
    signal,
    limits: {
      wallTimeMs: policy.totalTimeoutMs,
      cpuTimeMs: policy.cpuTimeMs,
      memoryBytes: policy.memoryLimitBytes,
      maxConsoleBytes: policy.maxConsoleBytes,
      maxResultBytes: maxReturnedBytes(policy, invoker),
      // The timers of a durable run are calls to the host too.
      maxCalls: maxBridgeCalls(policy) * (durable === undefined ? 1 : 2),
      maxInFlight: policy.maxInFlight + (durable?.moreInFlight ?? 0),
    },
    // Not `reply` itself, because a sandbox passes a second argument.
    bridge: check === undefined ? (call) => reply(call) : check.before((call) => reply(call)),
    onConsole: log.add,
    ...(durable === undefined ? {} : { onTurnEnd: () => void (check?.isAsking === true || durable.onTurnEnd()) }),
    humanWaitMs: () => session.humanWaitMs(),
  });
  const { warnings } = check?.report ?? (await checking);
  const refused = check === undefined || outcome.status !== 'error' ? undefined : stoppedBy(check.report);
  if (refused !== undefined) return refused;
  const ended = endOf(outcome, source, script, policy);
  const { consoleDroppedBytes } = outcome;
  return {
    ...(ended.status === 'ok' ? await cutResult(ended, session, invoker) : ended),
    consoleDroppedBytes,
    warnings,
  };
}

const noReport: PreflightReport = { mistakes: [], warnings: [] };
// Holds no state of any run, and no process until a script is checked.
const ownPreflight = createPreflight();

// Empty when the check is disabled or does not read the language, and when the run is cancelled meanwhile.
async function checkFirst(script: RunScriptOptions, session: InvokerSession): Promise<PreflightReport> {
  const { code, language = 'javascript', invoker, preflight = ownPreflight } = script;
  const { signal } = session;
  if (preflight === false || !preflight.languages.includes(language) || signal.aborted) return noReport;
  const { promise: cancelled, resolve: cancel } = Promise.withResolvers<PreflightReport>();
  const onAbort = (): void => cancel(noReport);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const argumentsMayChange = invoker.hooks.intercepts;
    const registry = knownTools(invoker.registry, session);
    const report = preflight.check({ source: code, registry, session, argumentsMayChange });
    return await Promise.race([report, cancelled]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

// The files of earlier calls, for a sandbox that places them. Each is read when the guest receives it.
function sandboxFiles(
  { sandbox, invoker }: RunScriptOptions,
  language: SandboxLanguage,
  session: InvokerSession,
): Pick<SandboxRequest, 'files'> {
  if (sandbox.supports.files?.includes(language) !== true) return {};
  const blobs = sessionBlobs(session, invoker.artifactStore);
  return {
    files: session.files.map(({ path, bytes, artifactRef }) => ({ path, bytes, open: () => blobs.open(artifactRef) })),
  };
}

function preludeOf(
  { code, language, input, invoker }: RunScriptOptions,
  session: InvokerSession,
  { checked, beginning }: { readonly checked: boolean; readonly beginning: ScriptBeginning | undefined },
): string {
  const toolNames = listsTools(code) ? scriptTools(invoker.registry, session).map(({ name }) => name) : [];
  return language === 'python'
    ? pythonPrelude({ input, checked, toolNames, beginning })
    : javascriptPrelude({ isDurable: beginning !== undefined, toolNames });
}

// Not in the prelude, for which sandboxes prepare guests.
function beginningOf({ now, seed, maxInFlight }: ScriptBeginning): string {
  return `${beginName}(${now},${JSON.stringify(seed)},${maxInFlight});`;
}

// True if the script uses `tools` other than by the name of one tool, for example `'edit' in tools`. The list is left out
// otherwise: sandboxes prepare guests for one prelude, and a server may have thousands of tools.
function listsTools(code: string): boolean {
  return /\btools\b(?!\s*(?:\?\.|\.|\[))/.test(code);
}

// A script with mistakes was not run at all.
function stoppedBy({ mistakes, warnings }: PreflightReport): EndedScript | undefined {
  const [error, ...others] = mistakes;
  if (error === undefined) return undefined;
  return { status: 'error', error, mistakes, warnings: [...others, ...warnings], consoleDroppedBytes: 0 };
}

function guestCheck(
  { code, invoker }: RunScriptOptions,
  session: InvokerSession,
  script: PreparedScript,
  hasPassed: boolean,
): GuestCheck {
  const registry = knownTools(invoker.registry, session);
  const argumentsMayChange = invoker.hooks.intercepts;
  return createGuestCheck({ source: code, registry, session, argumentsMayChange }, script, hasPassed);
}

function endOf(outcome: SandboxOutcome, source: string, script: PreparedScript, policy: ChainPolicy): EndedScript {
  const { consoleDroppedBytes } = outcome;
  if (outcome.status === 'ok') return { ...readValue(outcome.value), consoleDroppedBytes };
  if (outcome.status === 'error' && outcome.error.code === 'E_RESULT_NOT_JSON' && script.implicitValue) {
    // The last expression may be there for its effect alone, for example `map.set(…)`.
    return { status: 'ok', note: `(${outcome.error.message})`, consoleDroppedBytes };
  }
  return { ...failureOf(outcome, { source, script, policy }), consoleDroppedBytes };
}

// The guest wrote the text, so it may be anything.
function readValue(
  text: string | undefined,
): ChainFailure | { readonly status: 'ok'; readonly value?: JsonValue; readonly text?: string } {
  if (text === undefined) return { status: 'ok' };
  try {
    return { status: 'ok', value: JSON.parse(text) as JsonValue, text };
  } catch {
    return {
      status: 'error',
      error: { code: 'E_RESULT_NOT_JSON', message: 'The script returned a value that is not JSON' },
    };
  }
}
