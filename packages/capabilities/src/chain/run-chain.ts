import type { InvokerSession, SessionOptions, ToolInvoker } from '@ravi/invoker';
import { isSuspension } from '@ravi/invoker/internal';
import { isKernelError, textBlock } from '@ravi/kernel';
import type { ChainPolicy, ChainRunResult, ContentBlock, MediaBlock, SandboxLanguage } from '@ravi/kernel';
import { scriptTools } from '../discovery/visible-tools.ts';
import { createChainBridge } from './bridge.ts';
import type { ChainBridge } from './bridge.ts';
import { createConsoleLog } from './console-log.ts';
import type { ConsoleLog } from './console-log.ts';
import type { ChainFailure } from './failure.ts';
import {
  consoleReport,
  cutReport,
  failureReport,
  mistakeReport,
  suggestionFor,
  unawaitedReport,
  warningReport,
} from './report.ts';
import { runScript } from './run-script.ts';
import type { EndedScript, ScriptHost, RunScriptOptions } from './run-script.ts';
import { keptReport, shownFiles } from './shown-files.ts';

/** Options of {@link runChain}. */
export interface ChainRunOptions extends RunScriptOptions {
  /** Options of the session of the run, which {@link runChain} opens and closes. */
  readonly session?: Omit<SessionOptions, 'policy' | 'signal' | 'callLimit'>;
  readonly policy?: Partial<ChainPolicy>;
  /** Cancels the run and all of its calls. */
  readonly signal?: AbortSignal;
}

/**
 * Runs one script. Each of its calls passes the invoker, in a session of its own whose pins are released at the end.
 * Errors of the script are part of the result.
 * @throws KernelError `E_CONFIG_INVALID` for a policy that contradicts itself, `E_SANDBOX_UNAVAILABLE` and
 * `E_UNSUPPORTED` from the sandbox
 */
export async function runChain(options: ChainRunOptions): Promise<ChainRunResult> {
  const { invoker, policy, signal } = options;
  const session = invoker.openSession({
    ...options.session,
    callLimit: 'maxScriptCalls',
    ...(policy === undefined ? {} : { policy }),
    ...(signal === undefined ? {} : { signal }),
  });
  return runInSession(options, session, createChainBridge(invoker, session));
}

/** The host side of a whole run. */
export type ChainHost = Pick<ChainBridge, 'files' | 'settled'> &
  ScriptHost & {
    /** Returns why the run was stopped from outside the script, which may have seen an error of it. */
    stopped?(ended: EndedScript): ChainFailure | undefined;
  };

/** Runs one script in `session` and closes the session. */
export function runInSession(
  options: RunScriptOptions,
  session: InvokerSession,
  host: ChainHost,
): Promise<ChainRunResult> {
  return withScriptHooks(session, options, () => runToEnd(options, session, host));
}

/** Runs one script in `session` without observers, as a dry run, and closes the session. */
export function runUnseen(
  options: RunScriptOptions,
  session: InvokerSession,
  host: ChainHost,
): Promise<ChainRunResult> {
  return runToEnd(options, session, host, false);
}

/** Emits `chain-start` and `chain-end` around a run, also when the sandbox fails. */
async function withScriptHooks(
  session: InvokerSession,
  { invoker, language = 'javascript' }: { readonly invoker: ToolInvoker; readonly language?: SandboxLanguage },
  run: () => Promise<ChainRunResult>,
): Promise<ChainRunResult> {
  const { hooks, clock } = invoker;
  const started = clock.monotonic();
  const end = (status: ChainRunResult['status'], errorCode: string | undefined): void =>
    hooks.emit({
      type: 'chain-end',
      ...session.scope,
      status,
      durationMs: clock.monotonic() - started,
      toolCalls: session.callCount,
      ...(errorCode === undefined ? {} : { errorCode }),
    });
  hooks.emit({ type: 'chain-start', ...session.scope, language });
  try {
    const result = await run();
    end(result.status, isSuspended(result, session) ? 'E_RUN_SUSPENDED' : result.error?.code);
    return result;
  } catch (error) {
    end('error', isKernelError(error) ? error.code : 'E_INTERNAL');
    throw error;
  }
}

function isSuspended({ status }: ChainRunResult, { cancellation }: InvokerSession): boolean {
  return status === 'cancelled' && isSuspension(cancellation.error);
}

async function runToEnd(
  options: RunScriptOptions,
  session: InvokerSession,
  host: ChainHost,
  isSeen = true,
): Promise<ChainRunResult> {
  const { invoker } = options;
  const started = invoker.clock.monotonic();
  const log = createConsoleLog(session.policy.maxConsoleBytes, ({ level, text }) => {
    if (isSeen) invoker.hooks.emit({ type: 'console', ...session.scope, level, text });
  });
  let ended: EndedScript;
  let shown: readonly MediaBlock[];
  try {
    ended = await runScript(options, session, host, log);
    shown = ended.status === 'ok' ? await shownFiles(ended.value, session, invoker) : [];
  } finally {
    // Cancels the calls that the script did not await, and records that.
    await session.close();
    await host.settled();
  }
  const stopped = host.stopped?.(ended);
  const { consoleDroppedBytes } = ended;
  const how = stopped === undefined ? ended : { ...stopped, consoleDroppedBytes };
  const media = how.status === 'ok' ? shown : [];
  const notes = [textBlock(keptReport(host.files, media))].filter(({ text }) => text !== '');
  const result = resultOf(how, session, invoker, invoker.clock.monotonic() - started, log, [...notes, ...media]);
  return host.files.length === 0 ? result : { ...result, files: host.files };
}

function resultOf(
  ended: EndedScript,
  session: InvokerSession,
  invoker: ToolInvoker,
  durationMs: number,
  log: ConsoleLog,
  files: readonly ContentBlock[],
): ChainRunResult {
  const logs = log.lines(ended.consoleDroppedBytes);
  const { warnings = [] } = ended;
  const found = warnings.length === 0 ? {} : { warnings };
  const run = { logs, toolCalls: session.callCount, durationMs, ...found };
  const around = [consoleReport(logs), ended.mistakes === undefined ? warningReport(warnings) : ''];
  if (ended.status === 'ok') {
    const outputText = textOfValue(ended) + cutReport(ended.whole) + unawaitedReport(session.cancelledTools);
    const value = {
      ...(ended.value === undefined ? {} : { value: ended.value }),
      ...(ended.whole === undefined ? {} : { whole: ended.whole }),
    };
    const outputBlocks = [textBlock(outputText), ...blocksOf(around), ...files];
    return withTrace({ status: 'ok', ...value, outputText, outputBlocks, ...run }, session);
  }
  const { trace } = session;
  const callable = scriptTools(invoker.registry, session).map(({ name }) => name);
  const suggestion = suggestionFor(ended.error, trace, callable);
  const error = suggestion === undefined ? ended.error : { ...ended.error, suggestion };
  const outputText = ended.mistakes === undefined ? failureReport(error, trace) : mistakeReport(ended.mistakes);
  const report: ContentBlock = { type: 'error', message: outputText, code: error.code };
  const outputBlocks = [report, ...blocksOf(around), ...files];
  return withTrace({ status: ended.status, error, outputText, outputBlocks, ...run }, session);
}

// The trace is computed when it is first read, because the digests of a thousand calls take time.
function withTrace(result: Omit<ChainRunResult, 'callTrace'>, session: InvokerSession): ChainRunResult {
  let trace: ChainRunResult['callTrace'] | undefined;
  const get = (): ChainRunResult['callTrace'] => (trace ??= session.trace);
  return Object.defineProperty(result, 'callTrace', { get, enumerable: true }) as ChainRunResult;
}

function textOfValue({ value, text, note }: Extract<EndedScript, { readonly status: 'ok' }>): string {
  if (typeof value === 'string') return value;
  if (text !== undefined) return text;
  return ['The script ended without a value; use return to give one.', note].filter(Boolean).join(' ');
}

function blocksOf(texts: readonly string[]): readonly ContentBlock[] {
  return texts.filter((text) => text !== '').map(textBlock);
}
