import type { InvokerSession } from '@ravi/invoker';
import type { BridgeCall, ChainError, ChainPolicy, JsonValue, SandboxOutcome, WholeResult } from '@ravi/kernel';
import type { PreflightReport } from '../preflight/preflight.ts';
import { pythonPrelude } from '../python-prelude.ts';
import { checkFirst } from './check-first.ts';
import type { ConsoleLog } from './console-log.ts';
import { cutResult, maxHandedOver } from './cut-result.ts';
import { failureOf, maxBridgeCalls } from './failure.ts';
import type { ChainFailure } from './failure.ts';
import { createGuestCheck } from './guest-check.ts';
import type { GuestCheck } from './guest-check.ts';
import { durablePreludeSource, preludeSource } from './prelude/source.ts';
import type { ChainRunOptions } from './run-chain.ts';
import { sandboxFiles } from './sandbox-files.ts';
import { prepareChain } from './source/prepare-chain.ts';
import type { PreparedScript } from './source/prepare-script.ts';
import { withOpening } from './source/with-opening.ts';

/** How a script ended. */
export type EndedScript = {
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

/** What a script meets in its guest, and what stands between it and its tools. */
export interface ScriptSurroundings {
  answer(call: BridgeCall): Promise<string>;
  /** Present when the script has to be replayable. */
  readonly durable?: {
    /** Stands in front of the script, on its first line. */
    readonly opening: string;
    /** How many more calls to the host than tool calls may be under way. */
    readonly moreInFlight: number;
  };
}

/** Reads, checks and runs one script in a session that somebody else opened and closes. */
export async function runScript(
  options: ChainRunOptions,
  session: InvokerSession,
  { answer, durable }: ScriptSurroundings,
  log: ConsoleLog,
): Promise<EndedScript> {
  const { code: source, language = 'javascript', sandbox, invoker } = options;
  const { policy, signal, principal } = session;
  const prepared = await prepareChain(options, policy);
  if (prepared.status === 'error') return { ...prepared, consoleDroppedBytes: 0 };
  const script = durable === undefined ? prepared : withOpening(prepared, durable.opening);
  const found = await checkFirst(options, session);
  const stopped = stoppedBy(found);
  if (stopped !== undefined) return stopped;
  const check = options.preflight === false || language !== 'python' ? undefined : guestCheck(options, session, script);
  const outcome = await sandbox.run({
    language,
    code: script.code,
    prelude: preludeOf(options, { checked: check !== undefined, isDurable: durable !== undefined }),
    ...sandboxFiles(sandbox, language, session, invoker.artifactStore),
    principal,
    signal,
    limits: {
      wallTimeMs: policy.totalTimeoutMs,
      cpuTimeMs: policy.cpuTimeMs,
      memoryBytes: policy.memoryLimitBytes,
      maxConsoleBytes: policy.maxConsoleBytes,
      maxResultBytes: maxHandedOver(policy, invoker),
      // Each answer of a durable run is confirmed.
      maxCalls: maxBridgeCalls(policy) * (durable === undefined ? 1 : 2),
      maxInFlight: policy.maxInFlight + (durable?.moreInFlight ?? 0),
    },
    // Not `answer` itself: what else a sandbox tells a bridge means something else to it.
    bridge: check === undefined ? (call) => answer(call) : check.before((call) => answer(call)),
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

function preludeOf(
  { language, input }: ChainRunOptions,
  { checked, isDurable }: { readonly checked: boolean; readonly isDurable: boolean },
): string {
  if (language === 'python') return pythonPrelude({ input, checked });
  return isDurable ? durablePreludeSource : preludeSource;
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
