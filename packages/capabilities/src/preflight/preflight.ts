import { systemClock } from '@ravi/kernel';
import type { Clock, SandboxLanguage } from '@ravi/kernel';
import { openHelperProcess } from '../helper/helper-process.ts';
import type { HelperProcess } from '../helper/helper-process.ts';
import { checkedTools } from './checked-tools.ts';
import type { CheckAnswer, CheckQuestion, PreflightReport, PreflightScript } from './finding.ts';
import { preflightReport } from './preflight-report.ts';

/** Check of scripts before they run. Disposing it ends its process; the process starts again when the check is used again. */
export interface Preflight extends AsyncDisposable {
  /** Languages that it checks. In other languages the guest reports the tools that a script names. */
  readonly languages: readonly SandboxLanguage[];
  /** Starts the process ahead of the first check; resolves to false if it cannot start. */
  warm(): Promise<boolean>;
  /** Checks a script. Never rejects: a check that fails or takes too long is a warning, `E_SCRIPT_UNCHECKED`. */
  check(script: PreflightScript): Promise<PreflightReport>;
}

/** Options of {@link createPreflight}. */
export interface PreflightOptions {
  /**
   * Milliseconds for which a script waits for its check; 2000 when absent. After that it runs unchecked. The first script
   * also waits for the start of the process, at most 10 seconds.
   */
  readonly timeLimitMs?: number;
  readonly clock?: Clock;
}

type CheckerProcess = HelperProcess<CheckQuestion, CheckAnswer>;

const startLimitMs = 10_000;

/**
 * Creates a type check of JavaScript and TypeScript against the tools that a script may call. TypeScript is loaded in a
 * process of its own, which starts with the first check, takes one script at a time, and is replaced when a script breaks
 * it or exceeds its time.
 */
export function createPreflight(options: PreflightOptions = {}): Preflight {
  const { timeLimitMs = 2_000, clock = systemClock } = options;
  let helper: CheckerProcess | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  function openHelper(): CheckerProcess {
    helper ??= openHelperProcess({ name: 'preflight-helper', from: import.meta.url, heapMb: 512, clock });
    return helper;
  }

  async function closeHelper(): Promise<void> {
    const closed = helper;
    helper = undefined;
    await closed?.close();
  }

  async function untilStarted(starting: CheckerProcess): Promise<void> {
    if (starting.isReady) return;
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = clock.setTimer(() => resolve(false), startLimitMs);
    await Promise.race([starting.start(), late]);
    timer.cancel();
  }

  async function ask(question: CheckQuestion, deadline: number): Promise<CheckAnswer | { readonly status: 'late' }> {
    const leftMs = deadline - clock.monotonic();
    if (leftMs <= 0) return { status: 'late' };
    const asked = openHelper();
    const answered = await asked.ask(question, leftMs);
    if (answered.status === 'answered') return answered.answer;
    // A helper that is only slow to start is not started again and again.
    if (answered.status === 'broken' || asked.isReady) await closeHelper();
    return { status: answered.status === 'late' ? 'late' : 'failed' };
  }

  return {
    languages: ['javascript'],
    warm: () => openHelper().start(),
    async check(script) {
      const question = { source: script.source, tools: checkedTools(script.source, script.registry) };
      await untilStarted(openHelper());
      const deadline = clock.monotonic() + timeLimitMs;
      const asked = queue.then(() => ask(question, deadline));
      queue = asked.catch(() => undefined);
      const answer = await asked.catch((): CheckAnswer => ({ status: 'failed' }));
      if (answer.status === 'checked') return preflightReport(answer.findings, script);
      const reason = answer.status === 'late' ? `the check took longer than ${timeLimitMs} ms` : 'the check failed';
      return {
        mistakes: [],
        warnings: [{ code: 'E_SCRIPT_UNCHECKED', message: `The script was not checked before it ran: ${reason}` }],
      };
    },
    async [Symbol.asyncDispose]() {
      await queue;
      await closeHelper();
    },
  };
}
