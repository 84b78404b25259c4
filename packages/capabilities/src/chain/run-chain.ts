import type { InvokerSession, SessionOptions, ToolInvoker } from '@ravi/agents';
import { textBlock } from '@ravi/kernel';
import type {
  ChainError,
  ChainPolicy,
  ChainRunResult,
  ContentBlock,
  JsonObject,
  JsonValue,
  Sandbox,
  SandboxLanguage,
  SandboxOutcome,
  WholeResult,
} from '@ravi/kernel';
import type { Preflight, PreflightReport } from '../preflight/preflight.ts';
import { createChainBridge } from './bridge.ts';
import { checkFirst } from './check-first.ts';
import { createConsoleLog } from './console-log.ts';
import { cutResult, maxHandedOver } from './cut-result.ts';
import type { ConsoleLog } from './console-log.ts';
import { failureOf, maxBridgeCalls } from './failure.ts';
import type { ChainFailure } from './failure.ts';
import { createGuestCheck } from './guest-check.ts';
import type { GuestCheck } from './guest-check.ts';
import { pythonPrelude } from '../python-prelude.ts';
import { preludeSource } from './prelude/source.ts';
import { sandboxFiles } from './sandbox-files.ts';
import { consoleReport, cutReport, failureReport, mistakeReport, unawaitedReport, warningReport } from './report.ts';
import { createScriptCompiler } from './source/script-compiler.ts';
import { preparePython } from './source/prepare-python.ts';
import { prepareScript } from './source/prepare-script.ts';
import type { PreparedScript, ScriptPreparation } from './source/prepare-script.ts';
import { withInput } from './source/with-input.ts';
import { suggestionFor } from './suggest.ts';

/** A script and what it runs with. */
export interface ChainRunOptions {
  /** A script as a model wrote it. */
  readonly code: string;
  /** `javascript`, TypeScript included, when absent. */
  readonly language?: SandboxLanguage;
  /** What the script finds in `input`; without it there is no such name. */
  readonly input?: JsonObject;
  readonly invoker: ToolInvoker;
  readonly sandbox: Sandbox;
  /** Who the run is for; its session is opened and closed here. */
  readonly session?: Omit<SessionOptions, 'policy' | 'signal'>;
  readonly policy?: Partial<ChainPolicy>;
  /** Checks the script before it runs; `false` for no check. When absent, the one of this process. */
  readonly preflight?: Preflight | false;
  /** Cancels the run and every call of it. */
  readonly signal?: AbortSignal;
}

// Holds nothing of any run, and no thread until a script needs one.
const compiler = createScriptCompiler();

/**
 * Runs one script: every call of it passes the invoker, in a session of its own whose pins are given back at the end.
 * What the script does wrong is in the result.
 * @throws KernelError `E_CONFIG_INVALID` for a policy that contradicts itself, `E_SANDBOX_UNAVAILABLE` and
 * `E_UNSUPPORTED` of the sandbox
 */
export async function runChain(options: ChainRunOptions): Promise<ChainRunResult> {
  const { invoker, policy, signal } = options;
  const started = invoker.clock.monotonic();
  const session = invoker.openSession({
    ...options.session,
    ...(policy === undefined ? {} : { policy }),
    ...(signal === undefined ? {} : { signal }),
  });
  const bridge = createChainBridge(invoker, session);
  const log = createConsoleLog(session.policy.maxConsoleBytes);
  let ended: EndedScript;
  try {
    ended = await runScript(options, session, bridge.answer, log);
  } finally {
    // Calls that nobody awaited end here, on record.
    await session.close();
    await bridge.settled();
  }
  const result = resultOf(ended, session, invoker, invoker.clock.monotonic() - started, log);
  return bridge.files.length === 0 ? result : { ...result, files: bridge.files };
}

type EndedScript = {
  readonly consoleDroppedBytes: number;
  /** For which the script was not run. */
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

async function runScript(
  options: ChainRunOptions,
  session: InvokerSession,
  answer: ReturnType<typeof createChainBridge>['answer'],
  log: ConsoleLog,
): Promise<EndedScript> {
  const { code: source, language = 'javascript', input, sandbox, invoker } = options;
  const { policy, signal, principal } = session;
  const script = await prepare(options, policy);
  if (script.status === 'error') return { ...script, consoleDroppedBytes: 0 };
  const found = await checkFirst(options, session);
  const stopped = stoppedBy(found);
  if (stopped !== undefined) return stopped;
  const check = options.preflight === false || language !== 'python' ? undefined : guestCheck(options, session, script);
  const outcome = await sandbox.run({
    language,
    code: script.code,
    prelude: language === 'python' ? pythonPrelude({ input, checked: check !== undefined }) : preludeSource,
    ...sandboxFiles(sandbox, language, session, invoker.artifactStore),
    principal,
    signal,
    limits: {
      wallTimeMs: policy.totalTimeoutMs,
      cpuTimeMs: policy.cpuTimeMs,
      memoryBytes: policy.memoryLimitBytes,
      maxConsoleBytes: policy.maxConsoleBytes,
      maxResultBytes: maxHandedOver(policy, invoker),
      maxCalls: maxBridgeCalls(policy),
      maxInFlight: policy.maxInFlight,
    },
    bridge: check === undefined ? answer : check.before(answer),
    onConsole: log.add,
    humanWaitMs: () => session.humanWaitMs(),
  });
  const { warnings } = check?.report ?? found;
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

/** The end of a script in which a check found mistakes: nothing of it ran. */
function stoppedBy({ mistakes, warnings }: PreflightReport): EndedScript | undefined {
  const [error, ...others] = mistakes;
  if (error === undefined) return undefined;
  return { status: 'error', error, mistakes, warnings: [...others, ...warnings], consoleDroppedBytes: 0 };
}

function guestCheck({ code, invoker }: ChainRunOptions, session: InvokerSession, script: PreparedScript): GuestCheck {
  const { registry, hooks } = invoker;
  return createGuestCheck({ source: code, registry, session, argumentsMayChange: hooks.intercepts }, script);
}

async function prepare(
  { code, language, input }: ChainRunOptions,
  { maxSourceBytes }: ChainPolicy,
): Promise<ScriptPreparation> {
  if (language === 'python') return preparePython(code, { maxSourceBytes });
  const script = await prepareScript(code, { compiler, maxSourceBytes });
  return script.status === 'error' || input === undefined ? script : withInput(script, input);
}

function endOf(outcome: SandboxOutcome, source: string, script: PreparedScript, policy: ChainPolicy): EndedScript {
  const { consoleDroppedBytes } = outcome;
  if (outcome.status === 'ok') return { ...readValue(outcome.value), consoleDroppedBytes };
  if (outcome.status === 'error' && outcome.error.code === 'E_RESULT_NOT_JSON' && script.implicitValue) {
    // The last expression may stand there for its effect alone, `map.set(…)` for one.
    return { status: 'ok', note: `(${outcome.error.message})`, consoleDroppedBytes };
  }
  return { ...failureOf(outcome, { source, script, policy }), consoleDroppedBytes };
}

// Text of the guest's own making, so it may be anything.
function readValue(
  text: string | undefined,
): ChainFailure | { readonly status: 'ok'; readonly value?: JsonValue; readonly text?: string } {
  if (text === undefined) return { status: 'ok' };
  try {
    return { status: 'ok', value: JSON.parse(text) as JsonValue, text };
  } catch {
    return { status: 'error', error: { code: 'E_RESULT_NOT_JSON', message: 'The script returned what is no JSON' } };
  }
}

function resultOf(
  ended: EndedScript,
  session: InvokerSession,
  invoker: ToolInvoker,
  durationMs: number,
  log: ConsoleLog,
): ChainRunResult {
  const callTrace = session.trace;
  const logs = log.lines(ended.consoleDroppedBytes);
  const { warnings = [] } = ended;
  const found = warnings.length === 0 ? {} : { warnings };
  const run = { logs, toolCalls: session.callCount, durationMs, callTrace, ...found };
  const around = [consoleReport(logs), ended.mistakes === undefined ? warningReport(warnings) : ''];
  if (ended.status === 'ok') {
    const outputText = textOfValue(ended) + cutReport(ended.whole) + unawaitedReport(callTrace);
    const value = {
      ...(ended.value === undefined ? {} : { value: ended.value }),
      ...(ended.whole === undefined ? {} : { whole: ended.whole }),
    };
    return { status: 'ok', ...value, outputText, outputBlocks: [textBlock(outputText), ...blocksOf(around)], ...run };
  }
  const callable = invoker.registry.names().filter((name) => session.allows(name));
  const suggestion = suggestionFor(ended.error, callTrace, callable);
  const error = suggestion === undefined ? ended.error : { ...ended.error, suggestion };
  const outputText = ended.mistakes === undefined ? failureReport(error, callTrace) : mistakeReport(ended.mistakes);
  const report: ContentBlock = { type: 'error', message: outputText, code: error.code };
  return { status: ended.status, error, outputText, outputBlocks: [report, ...blocksOf(around)], ...run };
}

function textOfValue({ value, text, note }: Extract<EndedScript, { readonly status: 'ok' }>): string {
  if (typeof value === 'string') return value;
  if (text !== undefined) return text;
  return ['The script ended without a value; use return to give one.', note].filter(Boolean).join(' ');
}

function blocksOf(texts: readonly string[]): readonly ContentBlock[] {
  return texts.filter((text) => text !== '').map(textBlock);
}
