import type { InvokerSession, SessionOptions, ToolInvoker } from '@ravi/agents';
import { textBlock } from '@ravi/kernel';
import type {
  ChainPolicy,
  ChainRunResult,
  ConsoleLine,
  ContentBlock,
  JsonObject,
  JsonValue,
  Sandbox,
  SandboxOutcome,
} from '@ravi/kernel';
import { createChainBridge } from './bridge.ts';
import { createConsoleLog } from './console-log.ts';
import type { ConsoleLog } from './console-log.ts';
import { failureOf, maxBridgeCalls } from './failure.ts';
import type { ChainFailure } from './failure.ts';
import { preludeSource } from './prelude/source.ts';
import { consoleReport, failureReport, unawaitedReport } from './report.ts';
import { createScriptCompiler } from './source/script-compiler.ts';
import { prepareScript } from './source/prepare-script.ts';
import type { PreparedScript } from './source/prepare-script.ts';
import { withInput } from './source/with-input.ts';
import { suggestionFor } from './suggest.ts';

/** A script and what it runs with. */
export interface ChainRunOptions {
  /** TypeScript or JavaScript as a model wrote it. */
  readonly code: string;
  /** What the script finds in `input`; without it there is no such name. */
  readonly input?: JsonObject;
  readonly invoker: ToolInvoker;
  readonly sandbox: Sandbox;
  /** Who the run is for; its session is opened and closed here. */
  readonly session?: Omit<SessionOptions, 'policy' | 'signal'>;
  readonly policy?: Partial<ChainPolicy>;
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
  return resultOf(ended, session, invoker, invoker.clock.monotonic() - started, log);
}

type EndedScript = {
  readonly consoleDroppedBytes: number;
} & (
  | ChainFailure
  | { readonly status: 'ok'; readonly value?: JsonValue; readonly text?: string; readonly note?: string }
);

async function runScript(
  { code: source, input, sandbox }: ChainRunOptions,
  session: InvokerSession,
  answer: ReturnType<typeof createChainBridge>['answer'],
  log: ConsoleLog,
): Promise<EndedScript> {
  const { policy, signal, principal } = session;
  const prepared = await prepareScript(source, { compiler, maxSourceBytes: policy.maxSourceBytes });
  if (prepared.status === 'error') return { ...prepared, consoleDroppedBytes: 0 };
  const script = input === undefined ? prepared : withInput(prepared, input);
  const outcome = await sandbox.run({
    language: 'javascript',
    code: script.code,
    prelude: preludeSource,
    principal,
    signal,
    limits: {
      wallTimeMs: policy.totalTimeoutMs,
      cpuTimeMs: policy.cpuTimeMs,
      memoryBytes: policy.memoryLimitBytes,
      maxConsoleBytes: policy.maxConsoleBytes,
      maxResultBytes: policy.maxResultBytes,
      maxCalls: maxBridgeCalls(policy),
      maxInFlight: policy.maxInFlight,
    },
    bridge: answer,
    onConsole: log.add,
    humanWaitMs: () => session.humanWaitMs(),
  });
  return endOf(outcome, source, script, policy);
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
  const run = { logs, toolCalls: session.callCount, durationMs, callTrace };
  if (ended.status === 'ok') {
    const outputText = textOfValue(ended) + unawaitedReport(callTrace);
    const value = ended.value === undefined ? {} : { value: ended.value };
    return { status: 'ok', ...value, outputText, outputBlocks: withConsole(textBlock(outputText), logs), ...run };
  }
  const suggestion = suggestionFor(ended.error, callTrace, invoker.registry.names());
  const error = suggestion === undefined ? ended.error : { ...ended.error, suggestion };
  const outputText = failureReport(error, callTrace);
  const report: ContentBlock = { type: 'error', message: outputText, code: error.code };
  return { status: ended.status, error, outputText, outputBlocks: withConsole(report, logs), ...run };
}

function textOfValue({ value, text, note }: Extract<EndedScript, { readonly status: 'ok' }>): string {
  if (typeof value === 'string') return value;
  if (text !== undefined) return text;
  return ['The script ended without a value; use return to give one.', note].filter(Boolean).join(' ');
}

function withConsole(block: ContentBlock, logs: readonly ConsoleLine[]): readonly ContentBlock[] {
  const output = consoleReport(logs);
  return output === '' ? [block] : [block, textBlock(output)];
}
