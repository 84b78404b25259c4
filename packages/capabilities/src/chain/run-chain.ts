import type { InvokerSession, SessionOptions, ToolInvoker } from '@ravi/invoker';
import { textBlock } from '@ravi/kernel';
import type { ChainPolicy, ChainRunResult, ContentBlock, Sandbox } from '@ravi/kernel';
import { scriptTools } from '../discovery/visible-tools.ts';
import type { Preflight } from '../preflight/preflight.ts';
import { announced } from './announced.ts';
import { createChainBridge } from './bridge.ts';
import type { ChainBridge } from './bridge.ts';
import { createConsoleLog } from './console-log.ts';
import type { ConsoleLog } from './console-log.ts';
import type { ChainFailure } from './failure.ts';
import { consoleReport, cutReport, failureReport, mistakeReport, unawaitedReport, warningReport } from './report.ts';
import { runScript } from './run-script.ts';
import type { EndedScript, ScriptSurroundings } from './run-script.ts';
import type { ChainSource } from './source/prepare-chain.ts';
import { suggestionFor } from './suggest.ts';

/** A script and what it runs with. */
export interface ChainRunOptions extends ChainSource {
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

/**
 * Runs one script: every call of it passes the invoker, in a session of its own whose pins are given back at the end.
 * What the script does wrong is in the result.
 * @throws KernelError `E_CONFIG_INVALID` for a policy that contradicts itself, `E_SANDBOX_UNAVAILABLE` and
 * `E_UNSUPPORTED` of the sandbox
 */
export async function runChain(options: ChainRunOptions): Promise<ChainRunResult> {
  const { invoker, policy, signal } = options;
  const session = invoker.openSession({
    ...options.session,
    ...(policy === undefined ? {} : { policy }),
    ...(signal === undefined ? {} : { signal }),
  });
  return runInSession(options, session, createChainBridge(invoker, session));
}

/** Whatever stands between a script and its tools. */
export type ChainSurroundings = Pick<ChainBridge, 'files' | 'settled'> &
  ScriptSurroundings & {
    /** Why the run was stopped from outside of the script, which may have noticed something of it. */
    stopped?(ended: EndedScript): ChainFailure | undefined;
  };

type ScriptOptions = Omit<ChainRunOptions, 'policy' | 'signal' | 'session'>;

/** Runs one script in `session`, and closes that. */
export function runInSession(
  options: ScriptOptions,
  session: InvokerSession,
  surroundings: ChainSurroundings,
): Promise<ChainRunResult> {
  return announced(session, options, () => runToEnd(options, session, surroundings));
}

async function runToEnd(
  options: ScriptOptions,
  session: InvokerSession,
  surroundings: ChainSurroundings,
): Promise<ChainRunResult> {
  const { invoker } = options;
  const started = invoker.clock.monotonic();
  const log = createConsoleLog(session.policy.maxConsoleBytes, ({ level, text }) =>
    invoker.hooks.emit('script-console', { ...session.scope, level, text }),
  );
  let ended: EndedScript;
  try {
    ended = await runScript(options, session, surroundings, log);
  } finally {
    // Calls that nobody awaited end here, on record.
    await session.close();
    await surroundings.settled();
  }
  const stopped = surroundings.stopped?.(ended);
  const { consoleDroppedBytes } = ended;
  const how = stopped === undefined ? ended : { ...stopped, consoleDroppedBytes };
  const result = resultOf(how, session, invoker, invoker.clock.monotonic() - started, log);
  return surroundings.files.length === 0 ? result : { ...result, files: surroundings.files };
}

function resultOf(
  ended: EndedScript,
  session: InvokerSession,
  invoker: ToolInvoker,
  durationMs: number,
  log: ConsoleLog,
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
    const outputBlocks = [textBlock(outputText), ...blocksOf(around)];
    return withTrace({ status: 'ok', ...value, outputText, outputBlocks, ...run }, session);
  }
  const { trace } = session;
  const callable = scriptTools(invoker.registry, session).map(({ name }) => name);
  const suggestion = suggestionFor(ended.error, trace, callable);
  const error = suggestion === undefined ? ended.error : { ...ended.error, suggestion };
  const outputText = ended.mistakes === undefined ? failureReport(error, trace) : mistakeReport(ended.mistakes);
  const report: ContentBlock = { type: 'error', message: outputText, code: error.code };
  const outputBlocks = [report, ...blocksOf(around)];
  return withTrace({ status: ended.status, error, outputText, outputBlocks, ...run }, session);
}

/** Adds the trace of a session that is over. It is made at the first look: the digests of a thousand calls take their time. */
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
